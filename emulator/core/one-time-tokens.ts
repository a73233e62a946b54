import { createHash, randomBytes } from 'node:crypto'
import { SvcError } from '../../client/model/errors.js'
import { type Purpose, replaceToken, takeToken } from '../store/one-time-tokens.js'
import type { Context } from './context.js'

/** How long each lives. Contract 6.8. */
const lifetimes: Readonly<Record<Purpose, number>> = {
  'reset password': 3_600_000,
  'verify email': 24 * 3_600_000,
}

type Scope = Pick<Context, 'backend' | 'db'>

/** A new secret for a user and a purpose, in the place of the last one. */
export async function newToken(ctx: Scope, user: string, purpose: Purpose): Promise<string> {
  const token = randomToken()
  await replaceToken(ctx.db, rowOf(ctx, { user, purpose, token }))
  return token
}

/** The same, but nothing if the last one is younger than `leastAge`, in milliseconds. */
export async function newTokenAfter(
  ctx: Scope,
  user: string,
  purpose: Purpose,
  leastAge: number,
): Promise<string | undefined> {
  const token = randomToken()
  const now = ctx.backend.now().getTime()
  // One from further in the future was made before the clock was set back.
  const rest = { after: iso(now - leastAge), until: iso(now + leastAge) }
  const isNew = await replaceToken(ctx.db, rowOf(ctx, { user, purpose, token }), rest)
  return isNew ? token : undefined
}

function rowOf({ backend }: Scope, { user, purpose, token }: { user: string; purpose: Purpose; token: string }) {
  const now = backend.now().getTime()
  return { user, purpose, hash: hash(token), at: iso(now), expiresAt: iso(now + lifetimes[purpose]) }
}

function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Whose secret that is; it is used up by this. @throws {SvcError} `INVALID_TOKEN` */
export async function useToken(
  { backend, db }: Scope,
  token: string,
  purpose: Purpose,
): Promise<{ user: string; project: string }> {
  const taken = await takeToken(db, { purpose, hash: hash(token), at: backend.now().toISOString() })
  if (taken) return taken
  throw new SvcError('INVALID_TOKEN', 'The token is unknown, used or expired. Ask for a new mail.')
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
