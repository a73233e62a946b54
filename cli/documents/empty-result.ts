/**
 * Explains why a filter matched nothing: an unknown field, a value the field's type rules out, or a single underscore
 * in an operator.
 */
import type { Client } from '../../client/index.js'
import type { FieldType, Schema } from '../../client/protocol/model/collection.js'
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { operatorKinds } from '../../client/protocol/model/operator-kinds.js'
import type { Page } from '../../client/protocol/model/page.js'
import { formatPath, valueAt } from '../../client/protocol/model/path.js'
import { operators, parseNumber, type Test, type Where } from '../../client/protocol/model/where.js'
import { nearest } from '../terminal/nearest.js'
import { type Condition, listConditions, type WhereFlags } from './where-flag.js'

/** Describes the collection, or the users, that a filter searched. */
export interface SearchedFields {
  /** Noun for one record, for example 'document of "posts"'. */
  readonly record: string
  /** Fields that every record has. */
  readonly own: readonly string[]
  /** Returns `null` for an empty collection, because then no field means anything. */
  schema(): Promise<Schema | null>
  /** Returns some matching records. */
  sample(where: Where): Promise<Page<{ readonly data: JsonObject }>>
}

const times = ['createdAt', 'updatedAt']

export function documentFields(client: Client, name: string): SearchedFields {
  return {
    record: `document of "${name}"`,
    own: ['id', ...times],
    async schema() {
      const { schema, documentCount } = await client.collections.get(name)
      return documentCount === 0 ? null : schema
    },
    sample: (where) => client.collection(name).list({ where, ...sampled }),
  }
}

export function userFields(client: Client): SearchedFields {
  return {
    record: 'user',
    own: ['id', 'email', 'roles', ...times],
    schema: async () => ({}),
    sample: (where) => client.users.list({ where: where as never, ...sampled }),
  }
}

const sampled = { limit: 50, count: false }

/**
 * Sends at most two requests. If the service hides its schemas, it may not support the second request's filter, so
 * only spelling is explained.
 *
 * @param populated fields with linked documents, which have fields of their own
 */
export async function emptyResultNotes(
  flags: WhereFlags,
  fields: SearchedFields | undefined,
  populated: readonly string[] = [],
): Promise<string[]> {
  const conditions = listConditions(flags)
  const linked = populated.map((path) => path.split('.')[0])
  const asked = conditions.filter(({ tests }) =>
    tests.every(({ path }) => !linked.includes(path[0]) && !(path.length === 1 && fields?.own.includes(path[0]))),
  )
  const found = fields && asked.length > 0 ? await examine(asked, fields).catch(() => undefined) : undefined
  return found ?? conditions.flatMap(spellingNote).slice(0, 1)
}

/** @throws {SvcError} if the service cannot tell */
async function examine(conditions: readonly Condition[], fields: SearchedFields): Promise<string[] | undefined> {
  const schema = await fields.schema()
  if (schema === null) return undefined
  const tests = conditions.flatMap((condition) => condition.tests.map((test) => ({ condition, test })))
  const isTyped = ({ path }: Test) => path.length === 1 && Object.hasOwn(schema, path[0])
  const untyped = tests.map(({ test }) => test).filter((test) => !isTyped(test))
  const { items, limit = sampled.limit } = untyped.length > 0 ? await fields.sample(havingAny(untyped)) : noItems
  const notes = tests.flatMap(({ condition, test }) => {
    const name = formatPath(test.path)
    const seen = items.map(({ data }) => valueAt(data, test.path)).filter((value) => value != null)
    // A full page may hold records with one of the other fields, so it says nothing about this one.
    if (!isTyped(test) && seen.length === 0) {
      return items.length < limit ? unknownField(name, condition, Object.keys(schema), fields) : []
    }
    const type = isTyped(test) ? schema[name]?.type : commonType(seen)
    if (type === undefined || canMatch(test, type)) return []
    return [`"${name}" is ${typeWords[type]} here, so ${condition.text} never matches.`]
  })
  return [...new Set(notes)]
}

const noItems = { items: [], limit: 1 }

function havingAny(tests: readonly Test[]): Where {
  const byName = new Map(tests.map(({ path }) => [formatPath(path), path]))
  return { all: [{ any: [...byName.values()].map((path) => ({ path, operator: 'isnull', isNull: false })) }] }
}

function unknownField(
  name: string,
  condition: Condition,
  names: readonly string[],
  { record }: SearchedFields,
): string[] {
  const spelling = spellingNote(condition)
  if (spelling.length > 0) return spelling
  const meant = nearest(name, names)
  return [`No ${record} has a field "${name}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`]
}

/** Explains a condition with a single underscore, such as `views_gte=1`. */
function spellingNote({ text }: Condition): string[] {
  const [, field, suffix] = /^([^=]*[^_=])_([a-z]+)=/.exec(text) ?? []
  if (!field || !suffix || !suffixes.includes(suffix)) return []
  const written = suffix === 'eq' ? field : `${field}__${suffix}`
  return [
    `"${field}_${suffix}" is read as a field name. To compare "${field}", write ${written}: operators take two underscores in every dialect.`,
  ]
}

const suffixes: readonly string[] = operators

const typeWords: { readonly [Type in FieldType]: string } = {
  string: 'a text',
  number: 'a number',
  integer: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  datetime: 'a time',
  file: 'a file',
  link: 'a link',
  any: 'anything',
}

/**
 * Returns the type that all values share. Undefined for texts, arrays, and mixed values, which may stand for anything.
 */
function commonType(values: readonly (Json | undefined)[]): FieldType | undefined {
  const [type, ...others] = new Set(values.map(jsonType))
  return others.length === 0 ? type : undefined
}

function jsonType(value: Json | undefined): FieldType | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean'
  return isObject(value) ? 'object' : undefined
}

const always = () => true
const never = () => false
const isNumber = (text: string) => parseNumber(text) !== undefined

/** Values that can match a field of each type, for comparisons that not every field meets. Contract 4.2. */
const matchable: Readonly<
  Record<FieldType, Readonly<Record<'equality' | 'order' | 'search', (text: string) => boolean>>>
> = {
  string: { equality: always, order: always, search: always },
  number: { equality: isNumber, order: isNumber, search: never },
  integer: { equality: isNumber, order: isNumber, search: never },
  boolean: { equality: (text) => text === 'true' || text === 'false', order: never, search: never },
  array: { equality: always, order: never, search: always },
  object: { equality: never, order: never, search: never },
  // The service rejects values that are not times.
  datetime: { equality: always, order: always, search: always },
  file: { equality: always, order: always, search: always },
  link: { equality: always, order: always, search: always },
  any: { equality: always, order: always, search: always },
}

function canMatch(test: Test, type: FieldType): boolean {
  const comparison = test.operator === 'not' ? 'inequality' : operatorKinds[test.operator]
  if (comparison === 'inequality' || comparison === 'presence') return true
  const values = 'values' in test ? test.values : 'value' in test ? [test.value] : []
  const isNull = (text: string) => comparison === 'equality' && text === 'null'
  return values.some((text) => isNull(text) || matchable[type][comparison](text))
}
