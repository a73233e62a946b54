/** User accounts, and the changes users can make to their own. Spec, "Authentication of app users". */

import {
  type DocumentUpdate,
  type Fields,
  isId,
  mergeFields,
  type OutgoingUser,
  parseFields,
  requireNoOperator,
  type StoredUser,
} from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { equalJson } from '../../../client/protocol/model/json.js'
import { type ListQuery, type Page, type RecordQuery, wholeRecord } from '../../../client/protocol/model/page.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import {
  insertUser,
  lockUser,
  type NewUser,
  selectUser,
  selectUserByEmail,
  selectUsers,
  updateUser,
} from '../../store/accounts/users.js'
import { readerFor } from '../access/grant.js'
import { workLong } from '../concurrency/long-reads.js'
import type { Context, UserContext } from '../context.js'
import { populate, requireTimes } from '../documents/door.js'
import { requireLight } from '../documents/weight.js'
import { userEvent } from '../events/happenings.js'
import { orphanForgotten } from '../files/owned-files.js'
import { noUploads, type Uploads, withUploads } from '../files/uploads.js'
import { afterPassword, type LoginOutcome } from '../logins/logins.js'
import { happened, identityChanged, inTransaction, publish, type UnitOfWork } from '../unit-of-work.js'
import { readEmail, requireEmail } from './emails.js'
import { replaceOwnPassword, requireOwnPassword } from './password-change.js'
import { hashPassword, requireStrong } from './passwords.js'

export interface SignUp {
  readonly email: string
  readonly password: string
  readonly data: Fields
  readonly roles: readonly string[]
}

export interface AccountChanges {
  readonly data: DocumentUpdate
  readonly email?: string | undefined
  readonly password?: string | undefined
  readonly currentPassword?: string | undefined
}

/**
 * @throws {SvcError} `EMAIL_ALREADY_EXISTS`, `VALIDATION_ERROR`, `FORBIDDEN` for roles that users cannot give
 * themselves.
 */
export async function signUp(
  ctx: Context,
  { email, password, data: sent, roles }: SignUp,
  { clientAddress, uploads = noUploads }: { readonly clientAddress: string; readonly uploads?: Uploads },
): Promise<LoginOutcome> {
  const data = withUploads(ctx.backend, sent, uploads)
  const address = requireEmail(email)
  requireStrong(password, 'password', ctx)
  requireNoOperator(data)
  requireLight(data)
  requireSelfRoles(ctx, roles)
  requireOwnersRole(ctx, {}, data)
  // Checks the address first, because hashing is expensive.
  if (await selectUserByEmail(ctx.db, ctx.project.id, address.key)) throw emailTaken(address.shown)
  const passwordHash = await hashPassword(ctx, password, { account: address.key, address: clientAddress })
  const now = ctx.backend.now(ctx.project.id)
  const fresh: NewUser = {
    id: ctx.backend.newId(now),
    email: address.shown,
    emailKey: address.key,
    json: JSON.stringify(data),
    roles: [...new Set(roles)],
    oauth: null,
    emailVerified: false,
    passwordHash,
    at: now.toISOString(),
  }
  // Creates the account and its first session in one transaction, so a refused sign-up can be retried.
  return afterPassword(ctx, fresh, passwordHash, async (ctx) => {
    const user = await insertFresh(ctx, ctx.project.id, fresh)
    if (uploads.files.length > 0) await uploads.adopt(ctx, { user: user.id })
    return user
  })
}

/** @throws {SvcError} `EMAIL_ALREADY_EXISTS` */
export async function insertFresh(unit: UnitOfWork, project: string, user: NewUser): Promise<StoredUser> {
  const inserted = await insertUser(unit.db, project, user)
  if (!inserted) throw emailTaken(user.email)
  happened(unit, userEvent(project, 'created', inserted))
  return inserted
}

/** Reads the signed-in user and resolves the given link paths. */
export async function getMe(ctx: UserContext, query: RecordQuery = wholeRecord): Promise<OutgoingUser> {
  const user = await selectUser(ctx.db, ctx.project.id, ctx.caller.user.id)
  if (!user) throw plainError('INVALID_TOKEN')
  return withLinks(ctx, user, query)
}

/** Contract 6.10. */
export async function listUsers(ctx: Context, query: ListQuery): Promise<Page<OutgoingUser>> {
  const { caller, project, backend } = ctx
  const { itemSizes } = backend
  const scope = { project: project.id, ...readerFor(caller) }
  async function read() {
    const page = await selectUsers(ctx.db, scope, { ...query, where: requireTimes(query.where) })
    itemSizes.learn(
      project.id,
      page.items.map(({ data }) => data.text),
    )
    const learn = (bytes: number) => itemSizes.learnPopulated(project.id, page.items.length, bytes)
    return { ...page, items: await populate(ctx, page.items, query, learn) }
  }
  return workLong(ctx, read, itemSizes.expect(project.id, query))
}

/** @throws {SvcError} `USER_NOT_FOUND` */
export async function getUser(ctx: Context, id: string, query: RecordQuery = wholeRecord): Promise<OutgoingUser> {
  const user = isId(id) ? await selectUser(ctx.db, ctx.project.id, id) : undefined
  if (!user) throw noSuchUser(id)
  return withLinks(ctx, user, query)
}

async function withLinks(ctx: Context, user: StoredUser, query: RecordQuery): Promise<OutgoingUser> {
  if (query.populate.length === 0 && query.select.length === 0) return user
  const [populated = user] = await workLong(ctx, () => populate(ctx, [user], query))
  return populated
}

/**
 * Changes the user's own data, address or password. A new address must be verified again. A new password ends all other
 * sessions. Contract 6.3.
 *
 * @throws {SvcError} `INVALID_CREDENTIALS` if a new password comes without the current one.
 */
export async function updateMe(
  ctx: UserContext,
  changes: AccountChanges,
  uploads: Uploads = noUploads,
): Promise<OutgoingUser> {
  const { id } = ctx.caller.user
  const email = changes.email === undefined ? undefined : requireEmail(changes.email)
  if (changes.password !== undefined) requireStrong(changes.password, 'password', ctx)
  const password = changes.password === undefined ? undefined : await proveAndHash(ctx, changes.password, changes)
  let hasForgotten = false
  const user = await inTransaction(ctx, async (ctx) => {
    const before = await lockUser(ctx.db, ctx.project.id, id)
    if (!before) throw plainError('INVALID_TOKEN')
    const data = parseFields(before)
    const fields = withUploads(ctx.backend, changes.data.fields, uploads)
    const after = mergeFields(data, { ...changes.data, fields })
    requireLight(after)
    requireOwnersRole(ctx, data, after)
    const isMoved = email !== undefined && email.key !== readEmail(before.email)?.key
    const at = ctx.backend.now(ctx.project.id).toISOString()
    const write = { json: JSON.stringify(after), ...(email && { email }), ...(isMoved ? { emailVerified: false } : {}) }
    const written = await updateUser(ctx.db, id, write, at)
    await uploads.adopt(ctx, { user: id })
    hasForgotten = await orphanForgotten(ctx, [{ id, before: JSON.stringify(data), after: write.json }])
    if (password !== undefined) await replaceOwnPassword(ctx, password)
    // Drops cached identities only if they change: of these fields they hold only the verification.
    if (isMoved && before.emailVerified) publish(ctx, identityChanged())
    happened(ctx, userEvent(ctx.project.id, 'changed', { id, email: written?.email }, listChangedFields(changes)))
    return written
  })
  if (!user) throw plainError('INVALID_TOKEN')
  if (hasForgotten) ctx.backend.sweepFilesSoon()
  return user
}

/** Checks the current password, hashes the new one, and returns both hashes. */
async function proveAndHash(ctx: UserContext, password: string, { currentPassword }: AccountChanges) {
  const former = await requireOwnPassword(ctx, currentPassword)
  return { former, hash: await hashPassword(ctx, password, { account: ctx.caller.user.id }) }
}

/** Lists the names of the changed fields for the event log. */
function listChangedFields({ data, email, password }: AccountChanges): string[] {
  const fields = Object.keys(data.fields).map((name) => `data.${name}`)
  return [...fields, ...(email === undefined ? [] : ['email']), ...(password === undefined ? [] : ['password'])]
}

export function noSuchUser(id: string): SvcError {
  const name = id.slice(0, 80)
  return new SvcError('USER_NOT_FOUND', `No user "${name}".`, [], { reason: { kind: 'missing', what: 'user', name } })
}

export function emailTaken(name: string): SvcError {
  return plainError('EMAIL_ALREADY_EXISTS', { reason: { kind: 'taken', what: 'email', name } })
}

/** Contract 6.2. */
function requireSelfRoles({ project }: Context, roles: readonly string[]): void {
  const { selfRoles } = project.settings
  const refused = selfRoles === 'any' ? undefined : roles.find((role) => !selfRoles.includes(role))
  if (refused === undefined) return
  const value = refused.slice(0, 80)
  const reason: Reason = { kind: 'setting', setting: 'selfRoles', value }
  throw new SvcError('FORBIDDEN', `Only the project's owner can assign the role "${value}".`, [], { reason })
}

/** Keeps users from giving themselves a role while the project trusts `data.role`. Contract 6.2. */
function requireOwnersRole({ project }: Context, before: Fields, after: Fields): void {
  if (!project.settings.trustDataRole) return
  const role = (fields: Fields) => (Object.hasOwn(fields, 'role') ? fields.role : undefined)
  if (equalJson(role(before), role(after))) return
  const reason: Reason = { kind: 'setting', setting: 'trustDataRole', value: 'true' }
  throw new SvcError('FORBIDDEN', 'Only the project\'s owner can set "data.role".', [], { reason })
}
