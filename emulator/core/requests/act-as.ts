import { deleteSession, insertSession } from '../../store/accounts/sessions.js'
import { selectUsersById } from '../../store/accounts/users.js'
import { selectProjectByKeyId } from '../../store/projects.js'
import type { Backend, Identity } from '../context.js'
import { callerFor } from '../identity.js'
import { identifySession, requireUnexpired } from '../logins/credentials.js'
import type { KeptRequest } from './request-log.js'

/** Lifetime of the session, long enough for one request. */
const lifetimeMilliseconds = 10 * 60_000

/**
 * Runs `work` as the caller of a logged request, with the caller's current rights. Gives a user a session for that
 * time. Passes undefined if the caller had no key, or if the key or account no longer exists.
 */
export async function actAs<Result>(
  backend: Backend,
  { project, caller }: Pick<KeptRequest, 'project' | 'caller'>,
  work: (identity: Identity | undefined) => Promise<Result>,
): Promise<Result> {
  if (project === null || !caller) return work(undefined)
  const { user } = caller
  const found = caller.key && (await selectProjectByKeyId(backend.db, project, caller.key.id))
  if (caller.key && !found) return work(undefined)
  if (found) requireUnexpired(backend, found.project, found.key)
  if (!user) return work(found && { project: found.project, caller: callerFor(found.key) })
  const [stands] = await selectUsersById(backend.db, project, [user.id])
  if (!stands) return work(undefined)
  const now = backend.now(project)
  const session = backend.newId(now)
  const expiresAt = new Date(now.getTime() + lifetimeMilliseconds).toISOString()
  await insertSession(backend.db, { id: session, project, user: user.id, at: now.toISOString(), expiresAt })
  try {
    const { caller: signedIn, ...identity } = await identifySession(backend, project, { user: user.id, session })
    const key = found?.key
    return await work({ ...identity, caller: { ...signedIn, key, secret: caller.secret && key?.secret === true } })
  } finally {
    await deleteSession(backend.db, session)
  }
}
