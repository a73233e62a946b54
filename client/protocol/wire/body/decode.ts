/** The `body` axis: whether fields may be wrapped as `{data: {…}}`. Contract 1, 3.3 and 3.6. */
import {
  type DocumentUpdate,
  everywhere,
  type Fields,
  items,
  noOperators,
  type OperatorPlaces,
  requireNoOperator,
  splitOperators,
} from '../../model/document.js'
import { type Issue, SvcError } from '../../model/errors.js'
import { formatCount } from '../../model/figures.js'
import { isObject, type Json, type JsonObject, setOwn } from '../../model/json.js'
import { sizes } from '../../model/limits.js'
import type { BodyFormName } from './encode.js'

interface BodyForm {
  /** Returns the fields of a body without operators. */
  unwrap(body: JsonObject): { fields: JsonObject; isWrapped: boolean }
  /** Valid forms of a body, for the API description. */
  readonly alternatives: { readonly document: string; readonly changes: string }
  /** True if batch updates must be wrapped, although other bodies are not. */
  readonly isBatchWrapped: boolean
}

export const bodyForms = {
  either: {
    unwrap: (body) => (isWrapper(body) ? { fields: body.data, isWrapped: true } : { fields: body, isWrapped: false }),
    alternatives: {
      document: ', or the fields wrapped as {"data": {…}}',
      changes: ', bare or wrapped as {"data": {…}}',
    },
    isBatchWrapped: false,
  },
  bare: {
    unwrap: (body) => ({ fields: body, isWrapped: false }),
    alternatives: { document: '', changes: '' },
    isBatchWrapped: true,
  },
} as const satisfies Record<BodyFormName, BodyForm>

function isWrapper(body: JsonObject): body is { data: JsonObject } {
  return isObject(body.data) && Object.keys(body).length === 1
}

interface Speaks {
  readonly body: BodyFormName
  /** Default: everywhere. */
  readonly operators?: OperatorPlaces
}

/**
 * Decodes an update. Accepts operators next to the fields, next to `data`, or inside it.
 *
 * @throws {SvcError} `VALIDATION_ERROR` with issue paths that start with `place`
 */
export function decodeChanges(speaks: Speaks, body: JsonObject, place: Issue['path'] = []): DocumentUpdate {
  const { operators: outside, fields, isWrapped } = unwrapChanges(speaks, body, place)
  const { inside: hasInside } = speaks.operators ?? everywhere
  const inside = split(isWrapped && hasInside, fields, [...place, 'data'])
  return {
    fields: inside.rest,
    remove: joinOperators(outside.remove, inside.operators.remove),
    append: joinOperators(outside.append, inside.operators.append),
    unset: [...outside.unset, ...inside.operators.unset],
  }
}

/** Merges operators. A field in both gets the items of both, in this order. */
function joinOperators(one: JsonObject, other: JsonObject): JsonObject {
  const joined = { ...one }
  for (const [field, value] of Object.entries(other)) {
    const known = Object.hasOwn(one, field) ? items(one[field] ?? null) : undefined
    setOwn(joined, field, known ? [...known, ...items(value)] : value)
  }
  return joined
}

/** Separates the outer operators of an update from its fields. Wrapped fields may still contain operators. */
export function unwrapChanges(
  { body: form, operators: { beside } = everywhere }: Speaks,
  body: JsonObject,
  place: Issue['path'] = [],
) {
  const { operators, rest } = split(beside, body, place)
  return { operators, ...bodyForms[form].unwrap(rest) }
}

/** Separates operators where they have a meaning. Elsewhere they are fields. */
function split(hasOperators: boolean, body: JsonObject, place: Issue['path']): ReturnType<typeof splitOperators> {
  return hasOperators ? splitOperators(body, place) : { operators: noOperators, rest: body }
}

/** Decodes the fields of a create or replace. @throws {SvcError} `VALIDATION_ERROR` for operators */
export function decodeNewDocument(speaks: Speaks, body: JsonObject, place: Issue['path'] = []): Fields {
  const { beside, inside } = speaks.operators ?? everywhere
  if (beside) requireNoOperator(body, place)
  const { fields, isWrapped } = bodyForms[speaks.body].unwrap(body)
  if (isWrapped && inside) requireNoOperator(fields, [...place, 'data'])
  return fields
}

/** Decodes `{documents: [...]}`, with one body per item. Contract 3.6. */
export function decodeBatchCreate(speaks: Speaks, body: JsonObject): Fields[] {
  return listIn(body, 'documents').map((item, at) => {
    if (!isObject(item)) throw invalid(['documents', at], 'is not an object', 'object')
    return decodeNewDocument(speaks, item, ['documents', at])
  })
}

/**
 * Decodes `{updates: {<id>: {data}}}`; if `body` is `either`, also `{updates: {<id>: {field: value}}}`. Accepts a list of
 * `{id, data}` too, as some clients send it.
 */
export function decodeBatchUpdate(
  { body: form, operators = everywhere }: Speaks,
  body: JsonObject,
): Map<string, DocumentUpdate> {
  const updates = Array.isArray(body.updates) ? byId(body.updates) : body.updates
  if (!isObject(updates)) throw invalid(['updates'], 'is not an object of ids and changes', 'object')
  const entries = Object.entries(updates)
  requireBatchSize(entries.length)
  return new Map(
    entries.map(([id, update]) => {
      if (!isObject(update)) throw invalid(['updates', id], 'is not an object', 'object')
      const place = ['updates', id]
      const { rest } = split(operators.beside, update, place)
      const isBareRefused = bodyForms[form].isBatchWrapped && !isWrapper(rest) && Object.keys(rest).length > 0
      if (isBareRefused) throw invalid(['updates', id], 'takes its fields in "data"', 'data')
      return [id, decodeChanges({ body: 'either', operators }, update, place)]
    }),
  )
}

function byId(updates: readonly Json[]): JsonObject {
  const named: JsonObject = {}
  for (const [at, update] of updates.entries()) {
    const { id, data } = isObject(update) ? update : {}
    if (typeof id !== 'string') throw invalid(['updates', at, 'id'], 'is not a string', 'string')
    if (Object.hasOwn(named, id)) throw invalid(['updates', at, 'id'], 'is given twice', 'id')
    setOwn(named, id, { data: data ?? null })
  }
  return named
}

/** Decodes `{document_ids: [...]}`, or `{ids: [...]}`. */
export function decodeBatchDelete(body: JsonObject): string[] {
  const name = 'ids' in body && !('document_ids' in body) ? 'ids' : 'document_ids'
  return listIn(body, name).map((id, at) => {
    if (typeof id !== 'string') throw invalid([name, at], 'is not a string', 'string')
    return id
  })
}

function listIn(body: JsonObject, name: string): Json[] {
  const list = body[name]
  if (!Array.isArray(list)) throw invalid([name], 'is not an array', 'array')
  requireBatchSize(list.length)
  return list
}

function requireBatchSize(count: number) {
  if (count <= sizes.maxBatchItems) return
  throw new SvcError(
    'VALIDATION_ERROR',
    `A batch holds at most ${formatCount(sizes.maxBatchItems)} items; this one has ${formatCount(count)}.`,
  )
}

function invalid(path: Issue['path'], message: string, type: string): SvcError {
  return new SvcError('VALIDATION_ERROR', `${path.map(String).join('.')} ${message}.`, [{ path, message, type }])
}
