import { randomBytes } from 'node:crypto'
import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Project } from '../../../client/protocol/model/project.js'
import { deleteToken, type Purpose, selectTokenOwner, upsertToken } from '../../store/accounts/one-time-tokens.js'
import { lockUser } from '../../store/accounts/users.js'
import type { Backend, Context } from '../context.js'
import { hashOf } from '../hashes.js'
import { cachedProject } from '../projects/projects.js'
import { readEmail } from './emails.js'

/** How long each lives. Contract 6.8. */
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

/** A secret for a mail, which counts once it is kept. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Keeps a secret for a user and a purpose, in the place of the last one. */
export async function keepToken(ctx: ProjectScope, user: Addressee, token: NewToken): Promise<void> {
  await upsertToken(ctx.db, rowOf(ctx, user, token))
}

/** The same, unless the last one is younger than `leastAge`, in milliseconds; whether it did. */
export function keepTokenAfter(
  ctx: ProjectScope,
  user: Addressee,
  token: NewToken,
  leastAge: number,
): Promise<boolean> {
  const now = ctx.backend.now(ctx.project.id).getTime()
  // One from further in the future was made before the clock was set back.
  const rest = { after: iso(now - leastAge), until: iso(now + leastAge) }
  return upsertToken(ctx.db, rowOf(ctx, user, token), rest)
}

function rowOf({ backend, project }: ProjectScope, { id, email }: Addressee, { purpose, token }: NewToken) {
  const now = backend.now(project.id).getTime()
  return {
    user: id,
    email: readEmail(email)?.key ?? '',
    purpose,
    hash: hashOf(token),
    at: iso(now),
    expiresAt: iso(now + lifetimes[purpose]),
  }
}

const tokenForm = /^[\w-]{43}$/

/** Who asks for anything dear with a secret has a good one. @throws {SvcError} `INVALID_TOKEN` as `useToken` does */
export async function requireToken(
  { backend, db }: Scope,
  token: string,
  purpose: Purpose,
): Promise<{ user: string; project: string }> {
  // A text that cannot be a token costs no statement.
  const owner = tokenForm.test(token) && (await selectTokenOwner(db, { purpose, hash: hashOf(token) }))
  if (!owner || Date.parse(owner.expiresAt) <= backend.now(owner.project).getTime()) throw badToken()
  return owner
}

/**
 * Whose secret that is, held until the transaction ends; the secret is used up by this. It comes after `requireToken`.
 *
 * @throws {SvcError} `INVALID_TOKEN`, also for one that was mailed to an address which the user has left since.
 */
export async function useToken({ backend, db }: Scope, token: string, purpose: Purpose): Promise<OutgoingUser> {
  const known = { purpose, hash: hashOf(token) }
  const owner = await selectTokenOwner(db, known)
  // Every transaction locks users before their tokens.
  const user = owner && (await lockUser(db, owner.project, owner.user))
  const email = user && (await deleteToken(db, { ...known, at: backend.now(owner.project).toISOString() }))
  // What an older service has kept is the address itself.
  if (user && (email === readEmail(user.email)?.key || email === user.email)) return user
  throw badToken()
}

function badToken(): SvcError {
  return new SvcError('INVALID_TOKEN', 'The token is unknown, used or expired. Ask for a new mail.', [], {
    reason: { kind: 'credentials', problem: 'unknown mail token' },
  })
}

/** The project of whom a token was made for, used up or not. */
export async function projectOfToken(backend: Backend, token: string, purpose: Purpose): Promise<Project | undefined> {
  if (!tokenForm.test(token)) return undefined
  const owner = await selectTokenOwner(backend.db, { purpose, hash: hashOf(token) })
  return owner && cachedProject(backend, owner.project)
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
