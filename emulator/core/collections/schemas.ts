/** Limits the schema of a collection, and the total size of all collections of a project. */
import type { Schema, StoredCollection } from '../../../client/protocol/model/collection.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes, formatCount } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { LimitName } from '../../../client/protocol/model/requests/reason.js'
import { countRules } from '../../../client/protocol/model/schema.js'
import {
  checkFieldSettings,
  checkSchema,
  type FieldSettings,
} from '../../../client/protocol/model/schema-contradictions.js'
import { selectCollectionBytes } from '../../store/collections.js'
import type { Context } from '../context.js'

/** Chosen by us: every document is checked against each field, and a list of collections contains every schema. */
const maxSchemaFields = 1_000
const maxSchemaBytes = 64 * 1024
const maxCollectionBytes = 8 * 1024 * 1024

/** Upper bound for the rest of a collection in a list, besides its schema and permissions. */
const maxOtherBytes = 512

/**
 * Checks a new schema against the limits. A larger existing schema keeps working, and may be sent again or shrink.
 *
 * @throws {SvcError} `VALIDATION_ERROR`
 */
export function requireSchemaSize(schema: Schema, before: Schema = {}): void {
  const fields = countRules(schema)
  if (fields > Math.max(maxSchemaFields, countRules(before))) {
    const message = `can have at most ${formatCount(maxSchemaFields)} fields`
    throw schemaTooLarge({ limit: 'schema fields', most: maxSchemaFields, actual: fields }, message)
  }
  const bytes = countBytes(schema)
  if (bytes > maxSchemaBytes && bytes > countBytes(before)) {
    const message = `can take at most ${formatBytes(maxSchemaBytes)}, including its defaults`
    throw schemaTooLarge({ limit: 'schema bytes', most: maxSchemaBytes, actual: bytes }, message)
  }
}

/** @throws {SvcError} `VALIDATION_ERROR` for a schema that contradicts itself */
export function requireSchema(schema: Schema): void {
  requireNoIssues(checkSchema(schema), 'The schema contradicts itself: ')
}

const fieldSettings = ['schema', 'unique', 'title', 'permissions'] as const

/** @throws {SvcError} `VALIDATION_ERROR` for settings that name a field which does not allow it */
export function requireFieldSettings(settings: FieldSettings, sent: Partial<FieldSettings> = settings): void {
  if (fieldSettings.every((name) => sent[name] === undefined)) return
  requireNoIssues(checkFieldSettings(settings, sent))
}

/** @throws {SvcError} `VALIDATION_ERROR` */
export function requireNoIssues(issues: readonly Issue[], introduction = ''): void {
  const [first] = issues
  if (!first) return
  const what = `"${first.path.join('.')}" ${first.message}`
  throw new SvcError('VALIDATION_ERROR', `${introduction}${what}.`, issues.slice(0, sizes.maxIssues))
}

/**
 * Refuses a written collection that would make the list of all collections too large for a response. Accepts one that
 * has shrunk.
 *
 * @throws {SvcError} `VALIDATION_ERROR`, which rolls back the transaction
 */
export async function requireRoom(ctx: Context, after: StoredCollection, before?: StoredCollection): Promise<void> {
  if (before && bytesInList(after) <= bytesInList(before)) return
  const actual = await selectCollectionBytes(ctx.db, ctx.project.id, maxOtherBytes)
  if (actual <= maxCollectionBytes) return
  const most = formatBytes(maxCollectionBytes)
  const message = `The schemas and permissions of all collections in a project can take at most ${most}.`
  throw tooLarge({ limit: 'collection bytes', most: maxCollectionBytes, actual }, message)
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

function bytesInList({ schema, permissions, unique = [], title = '' }: StoredCollection): number {
  return countBytes(schema) + countBytes(permissions) + countBytes(unique) + Buffer.byteLength(title)
}

function countBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value))
}
