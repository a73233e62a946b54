/** The query parameters of routes: how to read each, and its description for OpenAPI. */

import { z } from 'zod'
import {
  type AggregateQuery,
  aggregateOperations,
  type GroupQuery,
  type MatchQuery,
} from '../../../client/protocol/model/aggregate.js'
import type { ListQuery, RecordQuery } from '../../../client/protocol/model/page.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import { oneOf } from '../../../client/protocol/wire/json-schema.js'
import {
  badParameter,
  decodeFolderQuery,
  decodeListQuery,
  decodeRecordQuery,
  type Parameter,
  parseQuery,
} from '../../../client/protocol/wire/query/decode.js'
import {
  decodeAggregateQuery,
  decodeGroupQuery,
  decodeMatchQuery,
} from '../../../client/protocol/wire/query/decode-aggregate.js'
import type { QueryForm, QueryParameter } from '../route.js'

/**
 * @throws {SvcError} `INVALID_QUERY` for an address that is too long, badly encoded or holds U+0000. Contract 10.7 and 10.11.
 */
export function readParameters(url: string): readonly Parameter[] {
  const at = url.indexOf('?')
  return at === -1 ? [] : parseQuery(url.slice(at + 1))
}

const populateParameter: QueryParameter = {
  name: 'populate',
  description:
    'Field whose id is replaced with the linked document; dotted for nesting. Repeat it or separate several with commas.',
  schema: { type: 'array', items: { type: 'string' } },
}

const selectParameter: QueryParameter = {
  name: 'select',
  description:
    'Field to return; dotted for nested fields and for those of populated documents. Repeat it or separate several with commas. The id and the times always stay.',
  schema: { type: 'array', items: { type: 'string' } },
}

/** Spec, "List query parameters". */
export const listQuery: QueryForm<ListQuery> = {
  parameters: (dialect) => [
    ...pageParameters(dialect),
    {
      name: 'orderBy',
      description:
        'Field to sort by; dotted for nested fields. Separate several with commas, and put a minus before each that is descending.',
      schema: { type: 'string' },
    },
    { name: 'order', description: 'Direction of `orderBy`.', schema: oneOf(['asc', 'desc']) },
    { name: 'sort_by', description: 'The same as `orderBy`.', schema: { type: 'string' } },
    { name: 'sort_order', description: 'The same as `order`.', schema: oneOf(['asc', 'desc']) },
    { name: 'count', description: 'Use false to skip the total.', schema: { type: 'boolean', default: true } },
    populateParameter,
    selectParameter,
    filtersParameter(dialect),
  ],
  read: decodeListQuery,
}

const fieldParameter: QueryParameter = {
  name: 'field',
  description: 'A field; dotted for nested fields.',
  schema: { type: 'string' },
  required: true,
}

/** Contract 13.7. */
export const matchQuery: QueryForm<MatchQuery> = {
  parameters: (dialect) => [populateParameter, filtersParameter(dialect)],
  read: decodeMatchQuery,
}

export const groupQuery: QueryForm<GroupQuery> = {
  parameters: (dialect) => [fieldParameter, ...matchQuery.parameters(dialect)],
  read: decodeGroupQuery,
}

export const aggregateQuery: QueryForm<AggregateQuery> = {
  parameters: (dialect) => [
    fieldParameter,
    {
      name: 'operation',
      description: 'What to compute. "count" counts the documents whose field is not null.',
      schema: { ...oneOf(aggregateOperations), default: 'count' },
    },
    ...matchQuery.parameters(dialect),
  ],
  read: decodeAggregateQuery,
}

/** The parts of one record to return. */
export const recordQuery: QueryForm<RecordQuery> = {
  parameters: () => [populateParameter, selectParameter],
  read: decodeRecordQuery,
}

/** Contract 8.1. */
export const folderQuery: QueryForm<{ path: string; limit: number; offset: number }> = {
  parameters: (dialect) => [
    { name: 'path', description: 'A folder. Defaults to all files.', schema: { type: 'string' } },
    ...pageParameters(dialect),
  ],
  read: decodeFolderQuery,
}

/** One text parameter, at most once. Defaults to empty. */
export function textQuery<Name extends string>(name: Name, description: string): QueryForm<string> {
  const { parameters, read } = namedQuery({ [name]: description })
  return { parameters, read: (dialect, given) => read(dialect, given)[name] ?? '' }
}

/** Several text parameters, each at most once. Ignores other names. */
export function namedQuery<Name extends string>(
  names: Readonly<Record<Name, string>>,
): QueryForm<{ readonly [Key in Name]?: string }> {
  const known = Object.keys(names) as Name[]
  return {
    parameters: () => known.map((name) => ({ name, description: names[name], schema: { type: 'string' } })),
    read: (_dialect, parameters) => {
      const given = new Map(parameters)
      const twice = known.find((name) => parameters.filter(([other]) => other === name).length > 1)
      if (twice !== undefined) throw badParameter(twice, `"${twice}" is given twice.`)
      return Object.fromEntries(known.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : []))) as {
        [Key in Name]?: string
      }
    },
  }
}

/** Refuses parameters that other routes of documents take, so that they are not ignored. Ignores other names. */
export function withoutParameter(name: string, message: string): QueryForm<undefined> {
  return {
    parameters: () => [],
    read(_dialect, parameters) {
      if (parameters.some(([given]) => given === name)) throw badParameter(name, message)
      return undefined
    },
  }
}

/** Parameters described by zod: texts, and numbers, for which an invalid value counts as 0. Ignores other names. */
export function zodQuery<Query>(type: z.ZodType<Query>): QueryForm<Query> {
  const { properties = {} } = z.toJSONSchema(type, { io: 'input' })
  const described = Object.entries(properties).map(([name, property]) => {
    const { description = '', ...schema } = Object(property)
    return { name, description, schema: schema as JsonSchema }
  })
  const texts = namedQuery(Object.fromEntries(described.map(({ name, description }) => [name, description])))
  const numbers = described.flatMap(({ name, schema }) => (isNumeric(schema) ? [name] : []))
  return {
    parameters: () => described,
    read(dialect, parameters) {
      const given: Record<string, unknown> = { ...texts.read(dialect, parameters) }
      for (const name of numbers) if (name in given) given[name] = Number(given[name])
      const { success, data, error } = type.safeParse(given)
      if (success) return data
      const [first] = error.issues
      throw badParameter(String(first?.path[0] ?? ''), `The query is invalid: ${first?.message}.`)
    },
  }
}

function isNumeric({ type }: JsonSchema): boolean {
  return type === 'number' || type === 'integer'
}

/** All parameters as they arrived. Describes only the named ones. */
export function allParameters(names: Readonly<Record<string, string>>): QueryForm<URLSearchParams> {
  return {
    parameters: () =>
      Object.entries(names).map(([name, description]) => ({ name, description, schema: { type: 'string' } })),
    read: (_dialect, parameters) => new URLSearchParams(parameters.map(([name, value]) => [name, value])),
  }
}

function filtersParameter(dialect: Dialect): QueryParameter {
  return {
    name: 'filters',
    description: `Any other name is a filter on that field. For example: ${axes.filters[dialect.filters].example}. Prefixes: [or], [or:group], [not], [not:group], [exists].`,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    style: 'form',
    explode: true,
  }
}

function pageParameters(dialect: Dialect): QueryParameter[] {
  const paging = axes.paging[dialect.paging]
  return [
    {
      name: 'limit',
      description: `The most items to return. Values over ${paging.most} count as ${paging.most}.`,
      schema: { type: 'integer', minimum: 0, default: paging.default },
    },
    { name: 'offset', description: 'Items to skip.', schema: { type: 'integer', minimum: 0, default: 0 } },
  ]
}
