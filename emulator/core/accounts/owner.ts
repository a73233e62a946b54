/** Changes to users that only the project's owner can make. Contract 6.11 and 11. */

import { usersWord } from '../../../client/protocol/model/collection.js'
import {
  type Fields,
  isId,
  parseFields,
  requireNoOperator,
  type StoredUser,
} from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { setOwn } from '../../../client/protocol/model/json.js'
import {
  deleteUserSession,
  deleteUserSessions,
  type ListedSession,
  selectUserSessions,
} from '../../store/accounts/sessions.js'
import { selectSecrets, updateTotp } from '../../store/accounts/user-secrets.js'
import {
  deleteUser,
  lockUser,
  selectNewestUsers,
  selectProjectOfUser,
  selectUser,
  selectUserByEmail,
  type UserChanges,
  updateUser,
} from '../../store/accounts/users.js'
import { isLinked } from '../../store/dependants.js'
import { selectProject } from '../../store/projects.js'
import { audit } from '../audit/audit-log.js'
import type { Backend } from '../context.js'
import { removeDependants } from '../documents/door.js'
import { requireLight } from '../documents/weight.js'
import { loginEvent, userEvent } from '../events/happenings.js'
import { callerAsOwner } from '../identity.js'
import { openLoginSession } from '../logins/sessions.js'
import { requireProject } from '../projects/require-project.js'
import { withCurrentRules } from '../unique-values.js'
import {
  happened,
  identityChanged,
  inTransaction,
  makingRoom,
  publish,
  type UnitOfWork,
  unitFor,
} from '../unit-of-work.js'
import { emailTaken, insertFresh, noSuchUser } from './accounts.js'
import { codeAt, otpauthUrl } from './codes.js'
import { readEmail, requireEmail } from './emails.js'
import { hashPassword, requireStrong } from './passwords.js'

export interface OwnersUser {
  readonly email: string
  readonly password?: string | undefined
  readonly data?: Fields | undefined
  readonly roles?: readonly string[] | undefined
  readonly emailVerified?: boolean | undefined
}

export interface OwnersChanges {
  readonly roles?: readonly string[] | undefined
  /** `data.role`; `null` removes it. */
  readonly role?: string | null | undefined
  readonly emailVerified?: boolean | undefined
  /** Only `false`: the owner can turn two-factor login off, but only the user can turn it on. */
  readonly twoFactor?: false | undefined
}

/** @throws {SvcError} `NOT_FOUND` for the project, `EMAIL_ALREADY_EXISTS`, `VALIDATION_ERROR` */
export async function createUser(backend: Backend, projectId: string, sent: OwnersUser): Promise<StoredUser> {
  const { id: project } = await requireProject(backend, projectId)
  const { password, data = {}, roles = [], emailVerified = false } = sent
  const email = requireEmail(sent.email)
  if (password !== undefined) requireStrong(password, 'password')
  requireNoOperator(data)
  requireLight(data)
  if (await selectUserByEmail(backend.db, project, email.key)) throw emailTaken(email.shown)
  const passwordHash = password === undefined ? null : await hashPassword({ backend }, password, { account: email.key })
  const now = backend.now(project)
  return inTransaction(unitFor(backend), async (unit) => {
    const user = await insertFresh(unit, project, {
      id: backend.newId(now),
      email: email.shown,
      emailKey: email.key,
      json: JSON.stringify(data),
      roles: [...new Set(roles)],
      oauth: null,
      emailVerified,
      passwordHash,
      at: now.toISOString(),
    })
    // Trusts any role that the owner sets. Contract 6.2.
    const { role } = data
    if (typeof role === 'string') await updateUser(unit.db, user.id, { trustedRole: role }, user.updatedAt)
    await audit(unit, { project, operation: 'user.created', subject: { user: user.id } })
    return user
  })
}

/** Lists the newest users of a project. @throws {SvcError} `NOT_FOUND` */
export async function listNewestUsers(
  backend: Backend,
  projectId: string,
  {
    email,
    after,
    limit,
  }: { readonly email?: string | undefined; readonly after?: string | undefined; readonly limit: number },
): Promise<StoredUser[]> {
  const { id: project } = await requireProject(backend, projectId)
  const emailKey = email === undefined ? undefined : readEmail(email)?.key
  const isEmpty = (email !== undefined && emailKey === undefined) || (after !== undefined && !isId(after))
  if (isEmpty) return []
  return selectNewestUsers(backend.db, project, { emailKey, after, limit })
}

/** @throws {SvcError} `USER_NOT_FOUND` */
export async function changeUser(backend: Backend, id: string, changes: OwnersChanges): Promise<StoredUser> {
  const project = await findProjectId(backend, id)
  const { roles, role, emailVerified, twoFactor } = changes
  const user = await inTransaction(unitFor(backend), async (unit) => {
    const { db } = unit
    const before = await lockUser(db, project, id)
    if (!before) throw noSuchUser(id)
    if (twoFactor === false) await updateTotp(db, id, { secret: null, recoveryHashes: [] })
    const json = role === undefined ? {} : { json: JSON.stringify(withRole(before, role)), trustedRole: role }
    const write: UserChanges = {
      ...json,
      ...(roles === undefined ? {} : { roles: [...new Set(roles)] }),
      ...(emailVerified === undefined ? {} : { emailVerified }),
    }
    publish(unit, identityChanged())
    const names = listChangedNames(changes)
    happened(unit, userEvent(project, 'changed', before, names))
    await audit(unit, { project, operation: 'user.changed', subject: { user: id, names } })
    return updateUser(db, id, write, backend.now(project).toISOString())
  })
  if (!user) throw noSuchUser(id)
  return user
}

/**
 * Deletes a user and their sessions. Links to the user obey `onDelete`.
 *
 * @throws {SvcError} `USER_NOT_FOUND`, `DOCUMENT_IN_USE`, `RESULT_TOO_LARGE`
 */
export async function removeUser(backend: Backend, id: string): Promise<void> {
  const project = await findProjectId(backend, id)
  const remove = () =>
    inTransaction(makingRoom(unitFor(backend)), async (unit) => {
      // Locks first, so that later statements see all links to the user.
      if (!(await lockUser(unit.db, project, id))) throw noSuchUser(id)
      await removeUserDependants(unit, project, id)
      const isGone = await deleteUser(unit.db, project, id)
      if (!isGone) throw noSuchUser(id)
      publish(unit, identityChanged())
      happened(unit, userEvent(project, 'removed', { id }))
      await audit(unit, { project, operation: 'user.removed', subject: { user: id } })
    })
  await withCurrentRules({ backend }, remove)
  // Deleting the user marked their files as orphans.
  backend.sweepFilesSoon()
}

async function removeUserDependants(unit: UnitOfWork & { readonly backend: Backend }, id: string, user: string) {
  if (!(await isLinked(unit.db, id, usersWord))) return
  const project = await selectProject(unit.db, id)
  if (!project) throw noSuchUser(user)
  const caller = callerAsOwner(id)
  await removeDependants({ ...unit, project, caller }, { to: usersWord, ids: [user] })
}

/** Opens a session as if the user had logged in, and returns its token. @throws {SvcError} `USER_NOT_FOUND` */
export async function openTokenFor(backend: Backend, id: string): Promise<string> {
  const project = await selectProject(backend.db, await findProjectId(backend, id))
  if (!project) throw noSuchUser(id)
  return inTransaction(unitFor(backend), async (unit) => {
    const user = await lockUser(unit.db, project.id, id)
    if (!user) throw noSuchUser(id)
    await audit(unit, { project: project.id, operation: 'user.token.created', subject: { user: id } })
    return (await openLoginSession({ ...unit, project }, user)).token
  })
}

/**
 * Returns the code that the user's authenticator app shows now, and the URL that sets up another app. @throws
 * {SvcError} `NOT_FOUND` if there is none
 */
export async function readAuthenticator(backend: Backend, id: string): Promise<{ code: string; otpauthUrl: string }> {
  const project = await selectProject(backend.db, await findProjectId(backend, id))
  const user = project && (await selectUser(backend.db, project.id, id))
  if (!user) throw noSuchUser(id)
  const secrets = await selectSecrets(backend.db, id)
  const secret = secrets?.pendingTotpSecret ?? secrets?.totpSecret
  if (!secret) throw new SvcError('NOT_FOUND', 'This user has no authenticator: two-factor login was never enabled.')
  const code = await codeAt(secret, backend.now(project.id))
  return { code, otpauthUrl: otpauthUrl(secret, { issuer: project.name, label: user.email }) }
}

/** Ends all sessions of a user. @throws {SvcError} `USER_NOT_FOUND` */
export async function endSessions(backend: Backend, id: string): Promise<void> {
  const project = await findProjectId(backend, id)
  await inTransaction(makingRoom(unitFor(backend)), async (unit) => {
    await deleteUserSessions(unit.db, id, null)
    publish(unit, identityChanged())
    happened(unit, loginEvent(project, 'ended', { user: id }))
    await audit(unit, { project, operation: 'user.sessions.ended', subject: { user: id } })
  })
}

/** Lists the unexpired sessions of a user, oldest first. @throws {SvcError} `USER_NOT_FOUND` */
export async function listSessions(backend: Backend, id: string): Promise<ListedSession[]> {
  const project = await findProjectId(backend, id)
  return selectUserSessions(backend.db, id, backend.now(project).toISOString())
}

/** Ends one session of a user. @throws {SvcError} `USER_NOT_FOUND`, `NOT_FOUND` */
export async function endSession(backend: Backend, id: string, session: string): Promise<void> {
  const project = await findProjectId(backend, id)
  await inTransaction(makingRoom(unitFor(backend)), async (unit) => {
    const isEnded = isId(session) && (await deleteUserSession(unit.db, id, session))
    if (!isEnded) throw new SvcError('NOT_FOUND', `This user has no session "${session.slice(0, 80)}".`)
    publish(unit, identityChanged())
    happened(unit, loginEvent(project, 'ended', { user: id }))
    await audit(unit, { project, operation: 'user.session.ended', subject: { user: id } })
  })
}

function listChangedNames(changes: OwnersChanges): string[] {
  return Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}

async function findProjectId({ db }: Backend, id: string): Promise<string> {
  const project = isId(id) ? await selectProjectOfUser(db, id) : undefined
  if (project === undefined) throw noSuchUser(id)
  return project
}

function withRole(user: StoredUser, role: string | null) {
  const fields = { ...parseFields(user) }
  if (role === null) delete fields.role
  else setOwn(fields, 'role', role)
  return fields
}
