/**
 * Plans writes: checks documents and computes what to store, in one order for all writes: existence, permission, version,
 * fields that are closed to the caller, merge, defaults, size, schema, unique values. Plans read nothing. Their executors
 * (`create-documents.ts`, `change-documents.ts`, `remove-documents.ts`) look up links and other documents, and write.
 */
import type { PermissionKind } from '../../../client/protocol/model/collection.js'
import type { Fields, StoredDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import type { NewData } from '../../store/documents.js'
import { listUniqueRules } from '../../store/unique-rules.js'
import type { ValueChanges } from '../../store/unique-values.js'
import { guardFields } from '../access/field-guard.js'
import { allows, type Grant, type Memberships, requireAllowed } from '../access/grant.js'
import { noSuchDocument } from '../access/missing.js'
import { planValues } from '../unique-values.js'
import { checkAndSerialize, openCompleter } from './check-and-serialize.js'
import type { Edit } from './edit.js'
import { collectLinks, type NewLinks } from './links.js'
import { openChanges } from './merging.js'

/** The versions that a write accepts, from `if-match`. `any` accepts all. Contract 3.8. */
export type VersionGuard = readonly number[] | 'any'

/** The state of a document that decides whether a write may apply to it. */
type Version = Pick<StoredDocument, 'version' | 'createdBy'>

/** A document by its id, and as it was read. */
export interface Target<Before extends Version = StoredDocument> {
  readonly id: string
  /** Undefined if it does not exist. */
  readonly before: Before | undefined
}

/** Limits a write to documents of a version, and of which the caller is a member. */
export interface Conditions {
  readonly guard: VersionGuard
  readonly memberships: Memberships
}

/**
 * Returns the document as it was read, if the caller may change or delete it.
 *
 * @throws {SvcError} `NOT_FOUND`, `FORBIDDEN`, `CONFLICT`
 */
export function requireWritable<Before extends Version>(
  grant: Grant,
  kind: Extract<PermissionKind, 'update' | 'delete'>,
  { id, before }: Target<Before>,
  { guard, memberships }: Conditions,
): Before {
  if (!before) throw noSuchDocument(grant.collection, id)
  const { version, createdBy } = before
  requireAllowed(grant, kind, { id, createdBy }, memberships)
  if (guard === 'any' || guard.includes(version)) return before
  const now = allows(grant, 'read', { id, createdBy }, memberships) ? `: it is now at version ${version}` : ''
  const reason: Reason = {
    ...{ kind: 'version', collection: grant.collection.name, document: id },
    ...{ expected: guard, actual: version },
  }
  throw new SvcError('CONFLICT', `Document "${id}" has changed${now}.`, [], { reason })
}

/** Documents to insert, and their links. The executor gives them ids. */
interface CreatePlan {
  readonly texts: readonly Omit<NewData, 'id'>[]
  readonly links: NewLinks
}

/** @throws {SvcError} `FORBIDDEN`, `UNAUTHORIZED`, `VALIDATION_ERROR`, `RESULT_TOO_LARGE` */
export async function planCreates(grant: Grant, many: readonly Fields[]): Promise<CreatePlan> {
  const { collection } = grant
  const guard = guardFields(grant)
  const complete = openCompleter(collection)
  const links = collectLinks(collection, many.length, grant.hidden)
  const create = (sent: Fields) => links.note(guard.created(sent, complete(sent)))
  const checked = await checkAndSerialize(collection, many, create, listUniqueRules(collection))
  return { texts: checked.map(({ text }) => text), links }
}

/** The new data of documents, and what else changes with them. */
export interface ChangePlan {
  readonly rows: readonly (NewData & { readonly before: StoredDocument })[]
  readonly links: NewLinks
  readonly values: ValueChanges
}

/**
 * @param isWhole whether the new fields replace the whole document, so that required fields get their defaults
 * @throws {SvcError} `NOT_FOUND`, `FORBIDDEN`, `UNAUTHORIZED`, `CONFLICT`, `VALIDATION_ERROR`, `DUPLICATE_VALUE`,
 * `RESULT_TOO_LARGE`
 */
export async function planChanges(
  grant: Grant,
  targets: readonly (Target & { readonly edit: Edit })[],
  { isWhole = false, ...conditions }: Conditions & { readonly isWhole?: boolean | undefined },
): Promise<ChangePlan> {
  const { collection } = grant
  const { checked, links, change } = openChanges(grant, targets.length, isWhole)
  const writable = targets.map((target) => ({
    ...target,
    before: requireWritable(grant, 'update', target, conditions),
  }))
  const fieldsAfter = ({ before, edit }: (typeof writable)[number]) => change(before, edit, conditions.memberships)
  const texts = await checkAndSerialize(checked, writable, fieldsAfter, listUniqueRules(collection), ({ edit }) => edit)
  const rows = texts.map(({ item: { id, before }, text }) => ({ id, before, ...text }))
  return { rows, links, values: await planValues(collection, rows) }
}
