import { deleteSession, insertSession } from '../../store/accounts/sessions.js'
import { selectUsersById } from '../../store/accounts/users.js'
import { selectProjectByKeyId } from '../../store/projects.js'
import type { Backend, Identity } from '../context.js'
import { callerOf } from '../identity.js'
import { identifySession, requireUnexpired } from '../logins/credentials.js'
import type { KeptRequest } from './request-log.js'

/** Long enough for one request. */
const livesMilliseconds = 10 * 60_000

/**
 * Works as the caller of a kept request, with the rights that the caller has now. A user gets a session for as long as that takes.
 * A caller without a key, and one whose key or account is gone, has no identity.
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
  if (!user) return work(found && { project: found.project, caller: callerOf(found.key) })
  const [stands] = await selectUsersById(backend.db, project, [user.id])
  if (!stands) return work(undefined)
  const now = backend.now(project)
  const session = backend.newId(now)
  const expiresAt = new Date(now.getTime() + livesMilliseconds).toISOString()
  await insertSession(backend.db, { id: session, project, user: user.id, at: now.toISOString(), expiresAt })
  try {
    const { caller: signedIn, ...identity } = await identifySession(backend, project, { user: user.id, session })
    const key = found?.key
    return await work({ ...identity, caller: { ...signedIn, key, secret: caller.secret && key?.secret === true } })
  } finally {
    await deleteSession(backend.db, session)
  }
}
