import { deleteSession, insertSession } from '../../store/accounts/sessions.js'
import { selectUsersById } from '../../store/accounts/users.js'
import { selectProjectByKeyId } from '../../store/projects.js'
import type { Backend, Caller, Identity } from '../context.js'
import { identifySession } from '../logins/credentials.js'
import type { KeptRequest } from './request-log.js'

/** Long enough for one request. */
const livesMilliseconds = 10 * 60_000

/**
 * Works as the caller of a kept request, with the rights that the caller has now. A user gets a session for as long as that takes.
 * Nobody, and whoever's key or account is gone, has no identity.
 */
export async function actAs<Result>(
  backend: Backend,
  { project, caller }: Pick<KeptRequest, 'project' | 'caller'>,
  work: (identity: Identity | undefined) => Promise<Result>,
): Promise<Result> {
  if (project === null || !caller) return work(undefined)
  const { key, user } = caller
  const keyed = key && (await selectProjectByKeyId(backend.db, project, key.id))
  if (key && !keyed) return work(undefined)
  if (!user) return work(keyed && { project: keyed.project, caller: byKey(key, keyed.secret) })
  const [stands] = await selectUsersById(backend.db, project, [user.id])
  if (!stands) return work(undefined)
  const now = backend.now(project)
  const session = backend.newId(now)
  const expiresAt = new Date(now.getTime() + livesMilliseconds).toISOString()
  await insertSession(backend.db, { id: session, project, user: user.id, at: now.toISOString(), expiresAt })
  try {
    const { caller: signedIn, ...identity } = await identifySession(backend, project, { user: user.id, session })
    const isSecret = keyed?.secret ?? false
    return await work({
      ...identity,
      caller: { ...signedIn, key: key && { ...key, secret: isSecret }, secret: isSecret },
    })
  } finally {
    await deleteSession(backend.db, session)
  }
}

function byKey(key: { readonly id: string } | undefined, secret: boolean): Caller {
  const id = key?.id ?? ''
  return { id, key: { id, secret }, user: undefined, secret }
}
