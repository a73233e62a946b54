/**
 * Calls that go beyond the specification. Apps that do not use them do not load them: they are an entry of their own.
 * The emulator has them in every dialect.
 */
import type { Selection } from './collections/collection.js'
import type { CreateOptions } from './collections/collection-writes.js'
import { type Extensible, internals } from './collections/internals.js'
import { toQuery } from './collections/list-pages.js'
import { repeatable } from './keys.js'
import type { Document, Fields } from './protocol/model/document.js'
import { SvcError } from './protocol/model/errors.js'
import type { Json } from './protocol/model/json.js'
import { encodeFields } from './protocol/wire/body/encode.js'
import { decodeDocument } from './protocol/wire/document/decode.js'
import { asObject, expect } from './protocol/wire/expected.js'
import * as addresses from './protocol/wire/paths/encode.js'
import { encodeListQuery } from './protocol/wire/query/encode.js'
import type { Spoken } from './protocol/wire/spoken.js'
import type { FieldAt, FieldPath, PopulatePath, SortField, Writable } from './types.js'

/** Selects documents like a list, without order and page. */
export type Matching<Data, Path extends string = string, Schema = unknown> = Pick<
  Selection<Data, Path, Schema>,
  'where' | 'populate' | 'signal'
>

/** Fields that may hold numbers; dotted if nested. */
export type NumberField<Data> = string extends keyof Data
  ? string
  : { [Path in FieldPath<Data>]: HoldsNumber<FieldAt<Data, Path>> extends true ? Path : never }[FieldPath<Data>]

type HoldsNumber<Value> = unknown extends Value ? true : [Extract<Value, number>] extends [never] ? false : true

/** The fields to aggregate. Each operation is one request. */
export interface Aggregations<Data = Fields> {
  /** Counts the documents in which the field is neither missing nor null. */
  readonly count?: SortField<Data>
  readonly sum?: NumberField<Data>
  readonly avg?: NumberField<Data>
  readonly min?: NumberField<Data>
  readonly max?: NumberField<Data>
}

/** The results, by operation. Without any number, `sum` is 0, and `avg`, `min` and `max` are null. */
export type Aggregated<Wanted> = {
  readonly [Operation in keyof Wanted & keyof Aggregations]: Operation extends 'count' | 'sum' ? number : number | null
}

/** A value of a field, and the number of documents that have it. */
export interface Group<Value = Json> {
  readonly value: Value
  readonly count: number
}

/**
 * Aggregates fields of the documents that match a filter, or of all. Values that are not numbers are left out.
 *
 * @example
 * import { aggregate } from 'svc-toolkit-client/extensions'
 *
 * const posts = svc.collection('posts')
 * const { sum, max } = await aggregate(posts, { sum: 'views', max: 'views' }, { where: { status: 'published' } })
 *
 * @throws {SvcError} `NOT_FOUND`, also if the service has no aggregates; `FORBIDDEN` for a hidden field
 */
export async function aggregate<
  Schema,
  Data extends object,
  const Wanted extends Aggregations<Data>,
  const Path extends PopulatePath<Schema, Data> = never,
>(
  collection: Extensible<Schema, Data>,
  fields: Wanted,
  options: Matching<Data, Path, Schema> = {},
): Promise<Aggregated<Wanted>> {
  const asked = Object.entries(fields).filter(([, field]) => field !== undefined)
  const results = asked.map(async ([operation, field]) => {
    return [operation, await ask(collection, 'aggregate', { field, operation }, options, decodeResult)]
  })
  return Object.fromEntries(await Promise.all(results))
}

/**
 * Counts the documents of each value of a field, the most frequent value first. Leaves out documents in which the field
 * is missing or null. Returns at most 10,000 groups.
 *
 * @example
 * import { groupBy } from 'svc-toolkit-client/extensions'
 *
 * const groups = await groupBy(svc.collection('posts'), 'status', { where: { views: { gte: 100 } } })
 * for (const { value, count } of groups) console.log(value, count)
 *
 * @throws {SvcError} `NOT_FOUND`, also if the service has no aggregates; `FORBIDDEN` for a hidden field;
 * `RESULT_TOO_LARGE`
 */
export async function groupBy<
  Schema,
  Data extends object,
  const Field extends SortField<Data>,
  const Path extends PopulatePath<Schema, Data> = never,
>(
  collection: Extensible<Schema, Data>,
  field: Field,
  options: Matching<Data, Path, Schema> = {},
): Promise<Group<FieldAt<Data, Field>>[]> {
  const decode = (record: Json) =>
    expect<Json[]>(Array.isArray(record), record).map((group) => {
      const { [field]: named = null, value = named, count } = asObject(group)
      return { value, count } as Group<FieldAt<Data, Field>>
    })
  return ask(collection, 'group-by', { field }, options, decode)
}

export interface UpsertOptions<Data> extends CreateOptions {
  /** The unique field that identifies the document. */
  readonly by: keyof Data & string
}

/**
 * Updates the document that has this value of a unique field, or creates it, in one step. Keeps the fields that are not
 * sent. A new document has version 1. Safe to retry. Does not take files.
 *
 * @example
 * import { upsert } from 'svc-toolkit-client/extensions'
 *
 * const post = await upsert(svc.collection('posts'), { slug: 'hello', title: 'Hello' }, { by: 'slug' })
 * if (post.version === 1) console.log('created')
 *
 * @throws {SvcError} `INVALID_QUERY` if the field is not unique; `VALIDATION_ERROR` without a value for it;
 * `DUPLICATE_VALUE` if another unique value is taken; `FORBIDDEN` without permission to create and update
 */
export async function upsert<Schema, Data extends object>(
  { [internals]: { session, name } }: Extensible<Schema, Data>,
  fields: Writable<Data>,
  { by, ...options }: UpsertOptions<Data>,
): Promise<Document<Data>> {
  const written = session.ask('POST', addresses.create(name), decodeDocument, (spoken) => ({
    ...repeatable(options),
    query: [['upsert', by]],
    body: encodeFields(spoken, fields as Fields),
    wrappers: [0, 1],
  }))
  return written as Promise<Document<Data>>
}

function decodeResult(record: Json): number | null {
  const { result } = asObject(record)
  return expect(result === null || typeof result === 'number', result)
}

const onlyOne = [['limit', 1]] as const

async function ask<Value>(
  { [internals]: { session, name } }: Extensible<unknown, unknown>,
  what: 'aggregate' | 'group-by',
  parameters: Readonly<Record<string, string>>,
  { where, populate, signal }: { where?: object; populate?: readonly string[]; signal?: AbortSignal },
  read: (record: Json) => Value,
): Promise<Value> {
  const query = toQuery({ where, populate })
  try {
    return await session.ask('GET', '', read, (dialect) => {
      // These parameters are not filters, so a filter on a field of that name needs a suffix.
      const filters = encodeListQuery(dialect, query).map(
        ([filter, value]) => [filter in parameters ? `${filter}__eq` : filter, value] as const,
      )
      return { path: addresses.query(name, what), query: [...Object.entries(parameters), ...filters], signal }
    })
  } catch (cause) {
    const { status } = cause as SvcError
    if (status !== 404 && status !== 405) throw cause
    const toList = (dialect: Spoken) => ({ path: addresses.documents(dialect, name), query: onlyOne, signal })
    await session
      .ask('GET', '', () => 0, toList)
      .catch((error: SvcError) => {
        // The collection is missing, not the path.
        if (error.status === 404) throw error
      })
    throw new SvcError('NOT_FOUND', 'The service does not support aggregates.', [], { status, cause })
  }
}
