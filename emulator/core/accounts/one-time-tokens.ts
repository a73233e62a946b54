import { randomBytes } from 'node:crypto'
import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project } from '../../../client/protocol/model/project.js'
import { deleteToken, type Purpose, selectTokenOwner, upsertToken } from '../../store/accounts/one-time-tokens.js'
import { lockUser } from '../../store/accounts/users.js'
import type { Backend, Context } from '../context.js'
import { hashSecret } from '../hashes.js'
import { cachedProject } from '../projects/projects.js'
import { readEmail } from './emails.js'

/** How long each token is valid, in milliseconds. Contract 6.8. */
const lifetimes: Readonly<Record<Purpose, number>> = {
  'reset password': 3_600_000,
  'verify email': 24 * 3_600_000,
}

type Scope = Pick<Context, 'backend' | 'db'>

type ProjectScope = Scope & Pick<Context, 'project'>

type Addressee = Pick<OutgoingUser, 'id' | 'email'>

interface NewToken {
  readonly purpose: Purpose
  readonly token: string
}

/** Generates a secret to mail. It becomes valid once `keepToken` saves it. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Saves a secret for a user and a purpose, and replaces the previous one. */
export async function keepToken(ctx: ProjectScope, user: Addressee, token: NewToken): Promise<void> {
  await upsertToken(ctx.db, buildRow(ctx, user, token))
}

/** Saves a secret unless the previous one is younger than `minAge` milliseconds. Resolves to whether it did. */
export function keepTokenAfter(ctx: ProjectScope, user: Addressee, token: NewToken, minAge: number): Promise<boolean> {
  const now = ctx.backend.now(ctx.project.id).getTime()
  // Ignores a token from further in the future: it was made before the clock was set back.
  const rest = { after: iso(now - minAge), until: iso(now + minAge) }
  return upsertToken(ctx.db, buildRow(ctx, user, token), rest)
}

function buildRow({ backend, project }: ProjectScope, { id, email }: Addressee, { purpose, token }: NewToken) {
  const now = backend.now(project.id).getTime()
  return {
    user: id,
    email: readEmail(email)?.key ?? '',
    purpose,
    hash: hashSecret(token),
    at: iso(now),
    expiresAt: iso(now + lifetimes[purpose]),
  }
}

const tokenForm = /^[\w-]{43}$/

/** Checks a token before expensive work, without using it up. @throws {SvcError} `INVALID_TOKEN` as `useToken` does */
export async function requireToken(
  { backend, db }: Scope,
  token: string,
  purpose: Purpose,
): Promise<{ user: string; project: string }> {
  // Saves a query for text that cannot be a token.
  const owner = tokenForm.test(token) && (await selectTokenOwner(db, { purpose, hash: hashSecret(token) }))
  if (!owner || Date.parse(owner.expiresAt) <= backend.now(owner.project).getTime()) throw badToken()
  return owner
}

/**
 * Uses up a secret and locks its user until the transaction ends. Call it after `requireToken`.
 *
 * @throws {SvcError} `INVALID_TOKEN`, also if the user has changed the address it was mailed to.
 */
export async function useToken({ backend, db }: Scope, token: string, purpose: Purpose): Promise<OutgoingUser> {
  const known = { purpose, hash: hashSecret(token) }
  const owner = await selectTokenOwner(db, known)
  // Every transaction locks users before their tokens, to avoid deadlocks.
  const user = owner && (await lockUser(db, owner.project, owner.user))
  const email = user && (await deleteToken(db, { ...known, at: backend.now(owner.project).toISOString() }))
  // Older versions of the service saved the address itself instead of its key.
  if (user && (email === readEmail(user.email)?.key || email === user.email)) return user
  throw badToken()
}

function badToken(): SvcError {
  return new SvcError('INVALID_TOKEN', 'The token is unknown, used or expired. Request a new mail.', [], {
    reason: { kind: 'credentials', problem: 'unknown mail token' },
  })
}

/** Finds the project of a token's user, even if the token is used up. */
export async function findProjectByToken(
  backend: Backend,
  token: string,
  purpose: Purpose,
): Promise<Project | undefined> {
  if (!tokenForm.test(token)) return undefined
  const owner = await selectTokenOwner(backend.db, { purpose, hash: hashSecret(token) })
  return owner && cachedProject(backend, owner.project)
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
