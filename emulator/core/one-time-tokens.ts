import { randomBytes } from 'node:crypto'
import { SvcError } from '../../client/model/errors.js'
import type { Project } from '../../client/model/project.js'
import type { OutgoingUser } from '../../client/model/user.js'
import { type Purpose, replaceToken, selectTokenOwner, takeToken } from '../store/one-time-tokens.js'
import { lockUser } from '../store/users.js'
import type { Backend, Context } from './context.js'
import { hashOf } from './hashes.js'
import { knownProject } from './projects.js'

/** How long each lives. Contract 6.8. */
const lifetimes: Readonly<Record<Purpose, number>> = {
  'reset password': 3_600_000,
  'verify email': 24 * 3_600_000,
}

type Scope = Pick<Context, 'backend' | 'db'>

type Addressee = Pick<OutgoingUser, 'id' | 'email'>

/** A new secret for a user and a purpose, in the place of the last one. */
export async function newToken(ctx: Scope, user: Addressee, purpose: Purpose): Promise<string> {
  const token = randomToken()
  await replaceToken(ctx.db, rowOf(ctx, user, { purpose, token }))
  return token
}

/** The same, but nothing if the last one is younger than `leastAge`, in milliseconds. */
export async function newTokenAfter(
  ctx: Scope,
  user: Addressee,
  purpose: Purpose,
  leastAge: number,
): Promise<string | undefined> {
  const token = randomToken()
  const now = ctx.backend.now().getTime()
  // One from further in the future was made before the clock was set back.
  const rest = { after: iso(now - leastAge), until: iso(now + leastAge) }
  const isNew = await replaceToken(ctx.db, rowOf(ctx, user, { purpose, token }), rest)
  return isNew ? token : undefined
}

function rowOf({ backend }: Scope, { id, email }: Addressee, { purpose, token }: { purpose: Purpose; token: string }) {
  const now = backend.now().getTime()
  return { user: id, email, purpose, hash: hashOf(token), at: iso(now), expiresAt: iso(now + lifetimes[purpose]) }
}

function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Whose secret that is, held until the transaction ends; the secret is used up by this.
 *
 * @throws {SvcError} `INVALID_TOKEN`, also for one that was mailed to an address which the user has left since.
 */
export async function useToken({ backend, db }: Scope, token: string, purpose: Purpose): Promise<OutgoingUser> {
  const known = { purpose, hash: hashOf(token) }
  const owner = await selectTokenOwner(db, known)
  // Everybody locks users before their tokens.
  const user = owner && (await lockUser(db, owner.project, owner.user))
  const email = user && (await takeToken(db, { ...known, at: backend.now().toISOString() }))
  if (user && email === user.email) return user
  throw new SvcError('INVALID_TOKEN', 'The token is unknown, used or expired. Ask for a new mail.')
}

/** The project of whom a token was made for, used up or not. */
export async function projectOfToken(backend: Backend, token: string, purpose: Purpose): Promise<Project | undefined> {
  const owner = await selectTokenOwner(backend.db, { purpose, hash: hashOf(token) })
  return owner && knownProject(backend, owner.project)
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
