/** Describes the fields of a collection by its newest documents. */
import type { OutgoingDocument } from '../../../client/protocol/model/document.js'
import { type Json, type JsonObject, JsonText, jsonType } from '../../../client/protocol/model/json.js'
import { wholeRecord } from '../../../client/protocol/model/page.js'
import { requireGrant } from '../collections/collections.js'
import type { Context } from '../context.js'
import { listDocuments } from './documents.js'

const maxAnalyzed = 100
const maxSamples = 3
const maxSampleCharacters = 100

interface Seen {
  readonly types: Map<string, number>
  readonly samples: Set<string | number | boolean>
}

export interface FieldDescription {
  /** How many of the documents have a value of each type. */
  readonly types: Readonly<Record<string, number>>
  readonly primaryType: string
  readonly isNullable: boolean
  /** Share of documents in which the field is null or missing, in percent. */
  readonly nullPercentage: number
  readonly samples: readonly (string | number | boolean)[]
}

export interface CollectionDescription {
  readonly collection: string
  readonly documentCount: number
  readonly analyzedCount: number
  readonly fields: ReadonlyMap<string, FieldDescription>
  /** Links that the schema declares. */
  readonly links: readonly { readonly field: string; readonly to: string }[]
}

/** @throws {SvcError} as a list does */
export async function describeDocuments(ctx: Context, name: string): Promise<CollectionDescription> {
  const query = { where: { all: [] }, sort: [], limit: maxAnalyzed, offset: 0, count: true, ...wholeRecord }
  const { items, total } = await listDocuments(ctx, name, query)
  const { collection, hidden } = await requireGrant(ctx, name, 'read')
  const links = Object.entries(collection.schema).flatMap(([field, { to }]) =>
    to === undefined || hidden.some(([first]) => first === field) ? [] : [{ field, to }],
  )
  return {
    collection: collection.name,
    documentCount: total ?? items.length,
    analyzedCount: items.length,
    fields: describeFields(items),
    links,
  }
}

function describeFields(documents: readonly OutgoingDocument[]): ReadonlyMap<string, FieldDescription> {
  const fields = new Map<string, Seen>()
  for (const { data } of documents) {
    const values = (data instanceof JsonText ? data.toJSON() : data) as JsonObject
    for (const [name, value] of Object.entries(values)) {
      const seen = fields.get(name) ?? { types: new Map(), samples: new Set() }
      fields.set(name, seen)
      note(seen, value)
    }
  }
  return new Map([...fields].map(([name, seen]) => [name, summarize(seen, documents.length)]))
}

function note({ types, samples }: Seen, value: Json): void {
  const type = jsonType(value)
  types.set(type, (types.get(type) ?? 0) + 1)
  if (samples.size >= maxSamples || value === null || typeof value === 'object') return
  samples.add(typeof value === 'string' ? value.slice(0, maxSampleCharacters) : value)
}

function summarize({ types, samples }: Seen, documentCount: number): FieldDescription {
  const present = [...types].filter(([type]) => type !== 'null')
  const valueCount = present.reduce((sum, [, count]) => sum + count, 0)
  const [primary = ['null', 0] as const] = present.toSorted(([, one], [, other]) => other - one)
  return {
    types: Object.fromEntries(types),
    primaryType: primary[0],
    isNullable: valueCount < documentCount,
    nullPercentage: Math.round(((documentCount - valueCount) / documentCount) * 1000) / 10,
    samples: [...samples],
  }
}
