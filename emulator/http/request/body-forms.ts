/** The request bodies of routes: how to parse each, and its schema. */
import { z } from 'zod'
import { anyFields } from '../../../client/protocol/control/operation.js'
import type { DocumentUpdate, Fields } from '../../../client/protocol/model/document.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { type Json, type JsonObject, objectIn } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import {
  decodeBatchCreate,
  decodeBatchDelete,
  decodeBatchUpdate,
  decodeChanges,
  decodeNewDocument,
} from '../../../client/protocol/wire/body/decode.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import { object } from '../../../client/protocol/wire/json-schema.js'
import { isLight, requireLight, requireWalkedLight } from '../../core/documents/weight.js'
import { openPauses } from '../../core/pauses.js'
import type { BodyForm } from '../route.js'
import { placesInBatch, placesInDocument } from './issue-places.js'

/** How a dialect writes the fields of documents, and the operators that change them. */
function speaking({ body, refusals }: Pick<Dialect, 'body' | 'refusals'>) {
  return { body, operators: axes.refusals[refusals].operators.document }
}

/** The fields of one document, bare or wrapped. */
export const newDocument = {
  schema: documentSchema,
  read(dialect: Dialect, body: JsonObject): Fields {
    const fields = decodeNewDocument(speaking(dialect), body)
    requireLight(fields)
    return fields
  },
  places: (dialect, body) => placesInDocument(speaking(dialect), body),
} satisfies BodyForm<Fields>

/** The fields to change, with array operators next to them. */
export const documentChanges = {
  schema: changesSchema,
  read(dialect: Dialect, body: JsonObject): DocumentUpdate {
    const changes = decodeChanges(speaking(dialect), body)
    requireLightChanges(body, changes)
    return changes
  },
  places: (dialect, body) => placesInDocument(speaking(dialect), body),
} satisfies BodyForm<DocumentUpdate>

export const newDocuments: BodyForm<readonly Fields[]> = {
  schema: (dialect) => object({ documents: batchSchema(documentSchema(dialect)) }),
  batch: 'documents',
  async read(dialect, body) {
    const documents = requireItems(dialect, decodeBatchCreate(speaking(dialect), body))
    await eachInTurn(documents, requireWalkedLight)
    return documents
  },
  places: (dialect, { documents }) => placesInBatch(speaking(dialect), { name: 'documents', members: documents }),
}

export const documentUpdates: BodyForm<ReadonlyMap<string, DocumentUpdate>> = {
  schema: (dialect) =>
    object({ updates: { type: 'object', additionalProperties: changesSchema(dialect), maxProperties: most } }),
  batch: 'updates',
  async read(dialect, body) {
    const updates = decodeBatchUpdate(speaking(dialect), body)
    const sent = objectIn(body.updates)
    await eachInTurn([...updates], ([id, changes]) => requireLightChanges(objectIn(sent[id]), changes))
    return updates
  },
  places: (dialect, { updates }) =>
    placesInBatch({ ...speaking(dialect), body: 'either' }, { name: 'updates', members: updates }),
}

export const documentIds: BodyForm<readonly string[]> = {
  batch: 'document_ids',
  schema: () => object({ document_ids: batchSchema({ type: 'string' }) }),
  read: (dialect, body) => requireItems(dialect, decodeBatchDelete(body)),
}

/** @throws {SvcError} `INVALID_BODY` for an empty batch, in dialects that refuse it */
function requireItems<Item>({ refusals }: Dialect, items: readonly Item[]): readonly Item[] {
  if (items.length > 0 || !axes.refusals[refusals].refusesEmpty) return items
  throw new SvcError('INVALID_BODY', 'The batch is empty.')
}

/** Any JSON value, passed through unchanged: zod's copies lose fields named `__proto__`. */
export const anyJson = z.custom<Json>(() => true)

/**
 * An object with arbitrary names and members of one type. zod's own record would drop `__proto__`.
 *
 * @param additionalProperties describes the members, for a type that contains itself
 */
export function recordType<Member>(
  member: z.ZodType<Member>,
  additionalProperties: JsonSchema = jsonSchema(member, 'input'),
): z.ZodType<Readonly<Record<string, Member>>> {
  return anyFields.meta({ type: 'object', additionalProperties }).transform((sent, check) => {
    const members: Record<string, Member> = {}
    for (const [name, value] of Object.entries(sent)) {
      const { success, data, error } = member.safeParse(value)
      if (success) Object.defineProperty(members, name, { value: data, enumerable: true })
      else for (const issue of error.issues) check.issues.push(raw({ ...issue, path: [name, ...issue.path] }, value))
    }
    return members
  })
}

/** A type that contains itself, described only as an object: the reader of the description follows no circles. */
export function nestedType<Value extends object>(find: () => z.ZodType<Value>): z.ZodType<Value> {
  return anyJson.meta({ type: 'object' }).transform((sent, check) => {
    const { success, data, error } = find().safeParse(sent)
    if (success) return data
    for (const issue of error.issues) check.issues.push(raw(issue, sent))
    return z.NEVER
  })
}

/** Converts an issue of a member to one of the object that contains it. */
function raw(issue: z.core.$ZodIssue, input: Json): z.core.$ZodRawIssue {
  return { ...issue, input } as z.core.$ZodRawIssue
}

const schemas = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() }

/** Describes the input or output of a type as JSON Schema. Cached, because it is slow. */
export function jsonSchema(type: z.ZodType, io: keyof typeof schemas): JsonSchema {
  const known = schemas[io].get(type)
  if (known) return known
  const { $schema, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' })
  schemas[io].set(type, schema)
  return schema
}

/** A body described by zod, the same in every dialect. Mismatches are 422 with issues. */
export function strictBody<Body>(type: z.ZodType<Body>): BodyForm<Body> {
  return {
    schema: () => jsonSchema(type, 'input'),
    read(_dialect, body) {
      requireLight(body)
      return parseStrictly(type, body)
    },
  }
}

/** Parses a value described by zod. @throws {SvcError} `VALIDATION_ERROR` */
export function parseStrictly<Value>(type: z.ZodType<Value>, value: unknown): Value {
  const { success, data, error } = type.safeParse(value)
  if (success) return data
  const issues = error.issues.flatMap(toIssues)
  throw new SvcError('VALIDATION_ERROR', issues[0] ? sentence(issues[0]) : 'The body is invalid.', issues)
}

/** A form posted by a page, with these text fields. */
export function formBody<Name extends string>(names: readonly Name[]): BodyForm<{ readonly [Key in Name]: string }> {
  const fields = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return {
    encoding: 'form',
    schema: () => object(fields),
    read(_dialect, body) {
      const entries = names.map((name) => [name, typeof body[name] === 'string' ? body[name] : ''] as const)
      return Object.fromEntries(entries) as { [Key in Name]: string }
    },
  }
}

const most = sizes.maxBatchItems

/** Checks the items, yielding to other requests after some work. */
async function eachInTurn<Item>(items: readonly Item[], check: (item: Item) => number): Promise<void> {
  const pauses = openPauses()
  for (const item of items) {
    const pause = pauses.after(check(item))
    if (pause) await pause
  }
}

/** If the whole is small, no part of it can exceed a limit. */
function requireLightChanges(sent: JsonObject, { fields, append, remove }: DocumentUpdate): number {
  if (isLight(sent)) return 0
  return [fields, append, remove].reduce((sum, part) => sum + requireLight(part), 0)
}

function documentSchema({ body }: Dialect): JsonSchema {
  return { type: 'object', description: `The fields${axes.body[body].alternatives.document}.` }
}

function changesSchema({ body }: Dialect): JsonSchema {
  const operator = { type: 'object', description: 'For each field, one item or an array of items.' }
  const names = { type: 'array', items: { type: 'string' }, description: 'Names of fields to remove.' }
  return {
    type: 'object',
    description: `The fields to change${axes.body[body].alternatives.changes}. Applied in the order fields, $remove, $append, $unset.`,
    properties: { $append: operator, $remove: operator, $unset: names },
  }
}

function batchSchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items, maxItems: most }
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const { path, message, code } = issue
  const places = path.map((place) => (typeof place === 'number' ? place : String(place)))
  // Reports each key separately, so that its path is included. Contract 10.4.
  if (issue.code === 'unrecognized_keys') {
    const said = message.startsWith('Unrecognized key') ? 'is not a known field' : message
    return issue.keys.map((key) => ({ path: [...places, key], message: said, type: code }))
  }
  const isMissing = code === 'invalid_type' && message.endsWith('received undefined')
  return isMissing
    ? [{ path: places, message: 'is required', type: 'missing' }]
    : [{ path: places, message: message.replace(/^Invalid input: /, ''), type: code }]
}

function sentence({ path, message }: Issue): string {
  if (path.length === 0) return `The body is invalid: ${message}.`
  return `"${path.join('.')}"${/^(?:is|has|takes|must) /.test(message) ? '' : ':'} ${message}.`
}
