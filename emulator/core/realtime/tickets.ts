/** Tickets: what a browser's EventSource puts into an address in the place of a key or a token. Contract 9.5. */
import { randomBytes } from 'node:crypto'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { deleteTicket, insertTicket } from '../../store/realtime/tickets.js'
import type { Backend, Context, Identity } from '../context.js'
import { hashSecret } from '../hashes.js'
import { callerFor } from '../identity.js'
import { identifySession, requireUnexpired, unknownKey } from '../logins/credentials.js'

const livesMilliseconds = 60_000

export interface Ticket {
  readonly ticket: string
  readonly expiresAt: string
}

/** A ticket that stands for the caller, for one stream within a minute: it ends with the key that asked for it, and with the session. */
export async function newTicket({ backend, db, project, caller }: Context): Promise<Ticket> {
  const ticket = randomBytes(24).toString('base64url')
  const expiresAt = new Date(backend.now(project.id).getTime() + livesMilliseconds).toISOString()
  const { user, key } = caller
  await insertTicket(db, {
    hash: hashSecret(ticket),
    project: project.id,
    key: key?.id ?? null,
    session: user?.sessionId ?? null,
    user: user?.id ?? null,
    expiresAt,
  })
  return { ticket, expiresAt }
}

/**
 * Who a ticket stands for; it is used up by this. A user has the session's own rights, within the scopes of the key beside it, and
 * is never taken for the holder of a secret key.
 *
 * @throws {SvcError} `UNAUTHORIZED`, `INVALID_TOKEN`
 */
export async function useTicket(backend: Backend, ticket: string): Promise<Identity> {
  // A text that cannot be a ticket costs no statement.
  const isTicket = /^[\w-]{32}$/.test(ticket)
  const taken = isTicket && (await deleteTicket(backend.db, hashSecret(ticket)))
  if (!taken || Date.parse(taken.expiresAt) <= backend.now(taken.project.id).getTime())
    throw new SvcError('UNAUTHORIZED', 'The ticket is unknown, used or expired.', [], {
      reason: { kind: 'credentials', problem: 'unknown ticket' },
    })
  const { project, key, user, session } = taken
  if (key === 'gone') throw unknownKey()
  if (key) requireUnexpired(backend, project, key)
  if (user !== null && session !== null) {
    const identity = await identifySession(backend, project.id, { user, session })
    return { ...identity, caller: { ...identity.caller, key: key ?? undefined } }
  }
  if (!key) throw unknownKey()
  return { project, caller: callerFor(key) }
}
