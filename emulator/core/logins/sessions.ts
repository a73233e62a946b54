import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteSession, insertSession, selectTokenSecret, updateSessionExpiry } from '../../store/accounts/sessions.js'
import type { Context, UserContext } from '../context.js'
import { loginEvent } from '../events/happenings.js'
import { happened, identityChanged, publishing } from '../unit-of-work.js'
import { signToken } from './tokens.js'

/** Spec, "Login and registration result". */
export interface Login {
  readonly token: string
  readonly user: OutgoingUser
}

type Scope = Pick<Context, 'backend' | 'db' | 'project'> & Partial<Pick<Context, 'pending'>>

/** Opens a session for an authenticated user. */
export async function openLoginSession(ctx: Scope, user: OutgoingUser): Promise<Login> {
  const now = ctx.backend.now(ctx.project.id)
  const session = ctx.backend.newId(now)
  const expiresAt = new Date(computeExpiry(ctx, now) * 1_000).toISOString()
  await insertSession(ctx.db, { id: session, project: ctx.project.id, user: user.id, at: now.toISOString(), expiresAt })
  const { backend, pending, project } = ctx
  const token = await tokenFor(ctx, user.id, session, now)
  happened({ backend, pending }, loginEvent(project.id, 'succeeded', { user: user.id, email: user.email }))
  return { token, user }
}

/** Issues a new token for the same session. Contract 6.4. */
export async function refreshSession(ctx: UserContext): Promise<string> {
  const now = ctx.backend.now(ctx.project.id)
  const { id, sessionId } = ctx.caller.user
  const isOpen = await updateSessionExpiry(ctx.db, sessionId, new Date(computeExpiry(ctx, now) * 1_000).toISOString())
  if (!isOpen) throw plainError('INVALID_TOKEN')
  return tokenFor(ctx, id, sessionId, now)
}

/** Ends the session and invalidates its tokens. */
export async function logOut(ctx: UserContext): Promise<void> {
  const { id, sessionId } = ctx.caller.user
  await publishing(ctx, identityChanged, () => deleteSession(ctx.db, sessionId))
  happened(ctx, loginEvent(ctx.project.id, 'ended', { user: id }))
}

/** Reads the project's signing secret. @throws {SvcError} `NOT_FOUND` if the project was deleted */
export async function getTokenSecret({ backend, db, project }: Scope): Promise<string> {
  const secret = await backend.caches.tokenSecrets.of(project.id, () => selectTokenSecret(db, project.id))
  if (secret === undefined) throw new SvcError('NOT_FOUND', `No project "${project.id}".`)
  return backend.signingKey(secret)
}

async function tokenFor(scope: Scope, user: string, session: string, now: Date): Promise<string> {
  const { project } = scope
  const secret = await getTokenSecret(scope)
  const times = { issuedAt: Math.floor(now.getTime() / 1_000), expiresAt: computeExpiry({ project }, now) }
  return signToken({ user, project: project.id, session }, secret, times)
}

/** Returns whole seconds since 1970. */
function computeExpiry({ project }: Pick<Context, 'project'>, now: Date): number {
  return Math.floor(now.getTime() / 1_000) + project.settings.tokenTtl
}
