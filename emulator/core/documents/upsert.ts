/** Updates the document that has a value of a unique field, or creates it. Contract 13.8. */
import type { PermissionKind } from '../../../client/protocol/model/collection.js'
import { type Fields, noOperators, type OutgoingDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { DatabaseError } from '../../database/port.js'
import { selectDocumentVersion } from '../../store/documents.js'
import { type Claim, listClaims, listUniqueRules, type UniqueRule } from '../../store/unique-rules.js'
import { selectHolder } from '../../store/unique-values.js'
import { allows, type Grant, requireAllowed, requireGranted } from '../access/grant.js'
import { findMemberships, memberFields } from '../access/memberships.js'
import { requireCreateGrant } from '../collections/collections.js'
import type { Context } from '../context.js'
import { duplicateValue } from '../unique-values.js'
import { changeDocument } from './change-documents.js'
import { createDocuments } from './create-documents.js'
import { mergeEdit } from './edit.js'

/** A document, and whether this request created it. */
export interface SavedDocument {
  readonly document: OutgoingDocument
  readonly isCreated: boolean
}

/** How often to look again after another write took or gave up the value. */
const maxAttempts = 5

interface Upsert {
  /** Name or id of the collection. */
  readonly name: string
  readonly grant: Grant
  readonly rule: UniqueRule
  readonly claim: Claim
  readonly fields: Fields
}

/**
 * Looks for the value, and looks again if another request takes or gives it up in between.
 *
 * @throws {SvcError} `INVALID_QUERY` if the field is not unique, `VALIDATION_ERROR` without a value, `FORBIDDEN`,
 * `DUPLICATE_VALUE` if the caller can neither update nor read the document
 */
export async function upsertDocument(
  ctx: Context,
  name: string,
  field: string,
  fields: Fields,
): Promise<SavedDocument> {
  const grant = await requireCreateGrant(ctx, name)
  requireGranted(grant, 'update')
  const rule = requireUniqueField(grant, field)
  const [claim] = listClaims([rule], fields)
  if (!claim) throw valueMissing(field)
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    const saved = await tryUpsert(ctx, { name, grant, rule, claim, fields })
    if (saved) return saved
    // A failed statement ends the transaction, so all of it is retried.
    if (ctx.pending) throw new DatabaseError('Another request wrote the same value.', '40001')
  }
  throw duplicateValue(grant.collection, rule.key, [])
}

function requireUniqueField({ collection }: Grant, field: string): UniqueRule {
  const rules = listUniqueRules(collection).filter(({ fields }) => fields.length === 1)
  const found = rules.find(({ fields }) => fields[0] === field)
  if (found) return found
  const names = rules.flatMap(({ fields }) => fields.map((name) => `"${name}"`))
  const choice = names.length === 0 ? 'It has none' : `Its unique fields: ${names.join(', ')}`
  const message = `"${field.slice(0, 80)}" is not a unique field of "${collection.name}". ${choice}.`
  throw new SvcError('INVALID_QUERY', message, [{ in: 'query', path: ['upsert'], message, type: 'unique' }])
}

function valueMissing(field: string): SvcError {
  const message = `"${field}" is required, because the document is found by it`
  return new SvcError('VALIDATION_ERROR', `${message}.`, [{ path: [field], message, type: 'missing' }])
}

/** Returns undefined if another write came in between. */
async function tryUpsert(ctx: Context, upsert: Upsert): Promise<SavedDocument | undefined> {
  const { grant, claim } = upsert
  const id = await selectHolder(ctx.db, grant.collection.id, claim)
  try {
    return await (id === undefined ? create(ctx, upsert) : update(ctx, id, upsert))
  } catch (error) {
    if (id === undefined ? isTaken(error, upsert) : error instanceof ValueLost) return undefined
    throw error
  }
}

async function create(ctx: Context, { name, fields }: Upsert): Promise<SavedDocument> {
  const [document] = await createDocuments(ctx, name, [fields])
  if (!document) throw new Error('A write of one document returned none.')
  return { document, isCreated: true }
}

async function update(ctx: Context, id: string, upsert: Upsert): Promise<SavedDocument> {
  const { name, fields } = upsert
  await requireOwn(ctx, id, upsert)
  const merge = mergeEdit({ fields, ...noOperators })
  const applyTo = (before: Fields) => {
    if (!mayHaveValue(before, upsert)) throw new ValueLost()
    return merge.applyTo(before)
  }
  const document = await changeDocument(ctx, name, id, { ...merge, applyTo }, {}).catch((error) => {
    throw error instanceof SvcError && error.code === 'NOT_FOUND' ? new ValueLost() : error
  })
  return { document, isCreated: false }
}

/** The document no longer has the value, or is gone. */
class ValueLost extends Error {}

/** Refuses a document of another user. If the caller cannot read it, the answer is the same as for creating it. */
async function requireOwn(ctx: Context, id: string, { grant, rule }: Upsert): Promise<void> {
  if (grant.update === 'all') return
  const found = await selectDocumentVersion(ctx.db, grant.collection, id, memberFields(grant))
  if (!found) throw new ValueLost()
  const document = { id, ...found }
  const memberships = await findMemberships(ctx.db, grant, [document])
  const mayDo = (kind: PermissionKind) => allows(grant, kind, document, memberships)
  if (!mayDo('update') && !mayDo('read')) throw duplicateValue(grant.collection, rule.key, [])
  requireAllowed(grant, 'update', document, memberships)
}

/** The fields that the caller may not change are missing in a document that the caller cannot read. */
function mayHaveValue(before: Fields, { rule, claim, grant }: Upsert): boolean {
  const [found] = listClaims([rule], before)
  return found ? found.digest === claim.digest : grant.readonly.length > 0
}

function isTaken(error: unknown, { rule }: Upsert): boolean {
  return error instanceof SvcError && error.code === 'DUPLICATE_VALUE' && error.issues[0]?.path[0] === rule.fields[0]
}
