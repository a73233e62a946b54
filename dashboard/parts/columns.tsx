/** Which columns a list of documents has, and how each kind of value looks. */
import type { Document } from '../../client/index.js'
import { isId } from '../../client/protocol/model/document.js'
import { namingFields, namingRank } from '../../client/protocol/model/documents/naming-fields.js'
import { isObject, type Json } from '../../client/protocol/model/json.js'
import { sizes } from '../../client/protocol/model/limits.js'
import { Time } from './time.js'

export type ValueType = 'text' | 'number' | 'true/false' | 'date' | 'link' | 'file' | 'object' | 'list' | 'null'

export interface ColumnOfData {
  readonly name: string
  readonly type: ValueType
}

const mostColumns = 14

export function typeOf(value: Json): ValueType {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'true/false'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'object'
  if (isId(value)) return 'link'
  if (/^(https?:\/\/[^/]+)?\/files\/[^/]+/.test(value)) return 'file'
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) ? 'date' : 'text'
}

/** The fields of these documents, those that name a document and then those that most of them have first, each with the type that most values have. */
export function columnsOf(documents: readonly Document[]): ColumnOfData[] {
  const seen = new Map<string, Map<ValueType, number>>()
  for (const { data } of documents) {
    for (const [name, value] of Object.entries(data)) {
      const types = seen.get(name) ?? new Map<ValueType, number>()
      const type = linkedIn(value) ? 'link' : typeOf(value)
      types.set(type, (types.get(type) ?? 0) + 1)
      seen.set(name, types)
    }
  }
  const count = (types: ReadonlyMap<ValueType, number>) => [...types.values()].reduce((sum, each) => sum + each, 0)
  return [...seen]
    .sort(([name, one], [other, more]) => namingRank(name) - namingRank(other) || count(more) - count(one))
    .slice(0, mostColumns)
    .map(([name, types]) => {
      const known = [...types].filter(([type]) => type !== 'null').sort(([, one], [, other]) => other - one)
      return { name, type: known[0]?.[0] ?? 'null' }
    })
}

/** What has more of them is keyed by ids: each field would be asked for by itself. */
const mostLinkFields = 100

/** The fields of these documents that hold ids, by themselves or in lists, in parts as large as one request may populate. */
export function linkFieldsOf(documents: readonly Document[]): string[][] {
  const isLink = (value: Json) => [value].flat().some((each) => typeof each === 'string' && isId(each))
  const names = documents.flatMap(({ data }) => Object.keys(data).filter((name) => isLink(data[name] ?? null)))
  const fields = [...new Set(names)].slice(0, mostLinkFields)
  const parts = Math.ceil(fields.length / sizes.mostPopulatePaths)
  return Array.from({ length: parts }, (_, at) =>
    fields.slice(at * sizes.mostPopulatePaths).slice(0, sizes.mostPopulatePaths),
  )
}

const widths: { readonly [Type in ValueType]: string } = {
  text: 'minmax(150px, 2fr)',
  number: 'minmax(90px, 120px)',
  'true/false': '120px',
  date: '120px',
  link: 'minmax(110px, 1fr)',
  file: 'minmax(110px, 1fr)',
  object: 'minmax(130px, 1fr)',
  list: 'minmax(130px, 1fr)',
  null: '90px',
}

export function widthOf({ type }: ColumnOfData): string {
  return widths[type]
}

/** Only so much of a value is drawn. */
const mostCharacters = 300

/** What a document or a user is called: by the first field that sounds like a name, else by the beginning of its id. */
export function nameOf(record: { readonly id: string; readonly email?: string; readonly data?: Json }): string {
  if (typeof record.email === 'string' && record.email !== '') return record.email
  const data = isObject(record.data) ? record.data : {}
  for (const field of namingFields) {
    const value = Object.hasOwn(data, field) ? data[field] : undefined
    if (typeof value === 'string' && value !== '') return value.slice(0, 120)
  }
  return shortId(record.id)
}

/** Ids begin with their time: those of one second differ at their end. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-7)}` : id
}

/** What `populate` puts in the place of an id. */
export interface Linked {
  readonly id: string
  readonly collection?: string
  readonly email?: string
  readonly data: Json
}

export function linkedIn(value: Json | undefined): Linked | undefined {
  return isObject(value) && typeof value.id === 'string' && isObject(value.data) ? (value as never) : undefined
}

export function Value({ value, onLink }: { value: Json | undefined; onLink?: (linked: Linked) => void }) {
  if (value === undefined) return <i className="dim">missing</i>
  if (value === null) return <span className="mono dim">null</span>
  if (typeof value === 'number') return <span className="mono">{formatNumber(value)}</span>
  if (typeof value === 'boolean') return <span className="mono plum">{String(value)}</span>
  if (typeof value === 'string') return <Text value={value} />
  const linked = linkedIn(value)
  if (!linked) return <span className="mono dim">{JSON.stringify(value).slice(0, mostCharacters)}</span>
  return (
    <button
      type="button"
      className="reference"
      onClick={(event) => {
        event.stopPropagation()
        onLink?.(linked)
      }}
    >
      {nameOf(linked)}
    </button>
  )
}

function Text({ value }: { value: string }) {
  const type = typeOf(value)
  if (type === 'date') return <Time at={value} />
  if (type === 'link') return <span className="mono dim">{shortId(value)}</span>
  if (type === 'file') return <span className="mono">{fileName(value)}</span>
  // A text may have lines, tabs and marks that turn its direction around: none of it leaves the cell.
  return <bdi>{value.slice(0, mostCharacters)}</bdi>
}

export function fileName(url: string): string {
  try {
    return decodeURIComponent(url.split('/').at(-1) ?? url)
  } catch {
    return url
  }
}

function formatNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toLocaleString('en-US') : String(value)
}
