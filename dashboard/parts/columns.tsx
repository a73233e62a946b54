/** Derives the columns of a document list, and renders values by type. */
import type { Document } from '../../client/index.js'
import { isId } from '../../client/protocol/model/document.js'
import { namingFields, namingRank } from '../../client/protocol/model/documents/naming-fields.js'
import { isObject, type Json, objectIn, readField } from '../../client/protocol/model/json.js'
import { sizes } from '../../client/protocol/model/limits.js'
import { Time } from './time.js'

export type ValueType = 'text' | 'number' | 'true/false' | 'date' | 'link' | 'file' | 'object' | 'list' | 'null'

export interface DataColumn {
  readonly name: string
  readonly type: ValueType
}

const maxColumns = 14

export function detectType(value: Json): ValueType {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'true/false'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'object') return 'object'
  if (isId(value)) return 'link'
  if (/^(https?:\/\/[^/]+)?\/files\/[^/]+/.test(value)) return 'file'
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) ? 'date' : 'text'
}

/** Returns the fields with their most common type. Naming fields come first, then the fields that most documents have. */
export function findColumns(documents: readonly Document[]): DataColumn[] {
  const seen = new Map<string, Map<ValueType, number>>()
  for (const { data } of documents) {
    for (const [name, value] of Object.entries(data)) {
      const types = seen.get(name) ?? new Map<ValueType, number>()
      const type = linkedIn(value) ? 'link' : detectType(value)
      types.set(type, (types.get(type) ?? 0) + 1)
      seen.set(name, types)
    }
  }
  const count = (types: ReadonlyMap<ValueType, number>) => [...types.values()].reduce((sum, each) => sum + each, 0)
  return [...seen]
    .sort(([name, one], [other, more]) => namingRank(name) - namingRank(other) || count(more) - count(one))
    .slice(0, maxColumns)
    .map(([name, types]) => {
      const known = [...types].filter(([type]) => type !== 'null').sort(([, one], [, other]) => other - one)
      return { name, type: known[0]?.[0] ?? 'null' }
    })
}

/** Documents with more link fields use ids as keys. Requesting each field separately would be slow. */
const maxLinkFields = 100

/** Returns the fields that contain ids or lists of ids, in batches that one request may populate. */
export function findLinkFields(documents: readonly Document[]): string[][] {
  const isLink = (value: Json) => [value].flat().some((each) => typeof each === 'string' && isId(each))
  const names = documents.flatMap(({ data }) => Object.keys(data).filter((name) => isLink(data[name] ?? null)))
  const fields = [...new Set(names)].slice(0, maxLinkFields)
  const parts = Math.ceil(fields.length / sizes.maxPopulatePaths)
  return Array.from({ length: parts }, (_, at) =>
    fields.slice(at * sizes.maxPopulatePaths).slice(0, sizes.maxPopulatePaths),
  )
}

const widths: { readonly [Type in ValueType]: string } = {
  text: 'minmax(150px, 2fr)',
  number: 'minmax(90px, 120px)',
  'true/false': '120px',
  date: '120px',
  link: 'minmax(120px, 1fr)',
  file: 'minmax(110px, 1fr)',
  object: 'minmax(130px, 1fr)',
  list: 'minmax(130px, 1fr)',
  null: '90px',
}

export function chooseWidth({ type }: DataColumn): string {
  return widths[type]
}

/** Longer values are cut. */
const maxCharacters = 300

/** Names a document or user by its email, by the first naming field, or else by its short id. */
export function formatName(record: { readonly id: string; readonly email?: string; readonly data?: Json }): string {
  if (typeof record.email === 'string' && record.email !== '') return record.email
  const data = objectIn(record.data)
  for (const field of namingFields) {
    const value = readField(data, field)
    if (typeof value === 'string' && value !== '') return value.slice(0, 120)
  }
  return shortId(record.id)
}

/** Shows the end of an id, because ids start with a timestamp. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-7)}` : id
}

/** A document or user that `populate` inserts in place of its id. */
export interface Linked {
  readonly id: string
  readonly collection?: string
  readonly email?: string
  readonly data: Json
}

export function linkedIn(value: Json | undefined): Linked | undefined {
  return isObject(value) && typeof value.id === 'string' && isObject(value.data) ? (value as never) : undefined
}

interface ValueProps {
  readonly value: Json | undefined
  readonly formatLinked?: (linked: Linked) => string
  readonly onLink?: (linked: Linked) => void
}

export function Value({ value, formatLinked = formatName, onLink }: ValueProps) {
  if (value === undefined) {
    return (
      <span className="dim" title="missing">
        –
      </span>
    )
  }
  if (value === null) return <span className="mono dim">null</span>
  if (typeof value === 'number') return <span className="mono">{formatNumber(value)}</span>
  if (typeof value === 'boolean') return <span className="mono plum">{String(value)}</span>
  if (typeof value === 'string') return <Text value={value} />
  const linked = linkedIn(value)
  if (!linked) return <span className="mono dim">{JSON.stringify(value).slice(0, maxCharacters)}</span>
  return (
    <button
      type="button"
      className="reference"
      onClick={(event) => {
        event.stopPropagation()
        onLink?.(linked)
      }}
    >
      {formatLinked(linked)}
    </button>
  )
}

function Text({ value }: { value: string }) {
  const type = detectType(value)
  if (type === 'date') return <Time at={value} />
  if (type === 'link') return <span className="mono dim">{shortId(value)}</span>
  if (type === 'file') return <span className="mono">{fileName(value)}</span>
  // Isolates bidirectional text, so that it cannot affect other cells.
  return <bdi>{value.slice(0, maxCharacters)}</bdi>
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
