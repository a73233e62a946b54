/** What the schema of a collection may be, and how much all collections of a project may come to. */
import type { Schema, StoredCollection } from '../../../client/protocol/model/collection.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes, formatCount } from '../../../client/protocol/model/figures.js'
import type { LimitName } from '../../../client/protocol/model/requests/reason.js'
import { checkSchema } from '../../../client/protocol/model/schema.js'
import { selectCollectionBytes } from '../../store/collections.js'
import type { Context } from '../context.js'

/** Our choice, all three: every document is checked against each field, and a list of collections holds every schema. */
const mostSchemaFields = 1_000
const mostSchemaBytes = 64 * 1024
const mostCollectionBytes = 8 * 1024 * 1024

/** What a list of collections says of each beside its schema and permissions, at most. */
const mostOtherBytes = 512

/**
 * A schema that is set. One that is there already and larger goes on working, and may be sent again or become smaller.
 *
 * @throws {SvcError} `VALIDATION_ERROR`
 */
export function requireSchemaSize(schema: Schema, before: Schema = {}): void {
  const fields = Object.keys(schema).length
  if (fields > Math.max(mostSchemaFields, Object.keys(before).length)) {
    const message = `has at most ${formatCount(mostSchemaFields)} fields`
    throw schemaTooLarge({ limit: 'schema fields', most: mostSchemaFields, actual: fields }, message)
  }
  const bytes = bytesOf(schema)
  if (bytes > mostSchemaBytes && bytes > bytesOf(before)) {
    const message = `takes at most ${formatBytes(mostSchemaBytes)}, its defaults included`
    throw schemaTooLarge({ limit: 'schema bytes', most: mostSchemaBytes, actual: bytes }, message)
  }
}

/** @throws {SvcError} `VALIDATION_ERROR` for a schema that contradicts itself */
export function requireSchema(schema: Schema): void {
  const issues = checkSchema(schema)
  const [first] = issues
  if (!first) return
  const what = `"${first.path.join('.')}" ${first.message}`
  throw new SvcError('VALIDATION_ERROR', `The schema contradicts itself: ${what}.`, issues)
}

/**
 * Refuses a collection, once it is written, with which the list of all of them would be too large for an answer. One that has become
 * smaller is not refused.
 *
 * @throws {SvcError} `VALIDATION_ERROR`, which ends the transaction
 */
export async function requireRoom(ctx: Context, after: StoredCollection, before?: StoredCollection): Promise<void> {
  if (before && bytesInList(after) <= bytesInList(before)) return
  const actual = await selectCollectionBytes(ctx.db, ctx.project.id, mostOtherBytes)
  if (actual <= mostCollectionBytes) return
  const most = formatBytes(mostCollectionBytes)
  const message = `The schemas and permissions of all collections of a project take at most ${most}.`
  throw tooLarge({ limit: 'collection bytes', most: mostCollectionBytes, actual }, message)
}

interface Figures {
  readonly limit: LimitName
  readonly most: number
  readonly actual: number
}

function schemaTooLarge(figures: Figures, message: string): SvcError {
  return tooLarge(figures, `"schema" ${message}.`, [{ path: ['schema'], message, type: 'length' }])
}

function tooLarge(figures: Figures, message: string, issues: readonly Issue[] = []): SvcError {
  return new SvcError('VALIDATION_ERROR', message, issues, { reason: { kind: 'limit', ...figures } })
}

function bytesInList({ schema, permissions }: StoredCollection): number {
  return bytesOf(schema) + bytesOf(permissions)
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}
