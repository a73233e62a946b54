import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { isOfProvider } from '../../../client/protocol/model/user.js'
import { LoginRefused, type ProviderProfile } from '../../idp/provider.js'
import { insertUser, selectUserByEmail, selectUserBySubject } from '../../store/accounts/users.js'
import { readEmail } from '../accounts/emails.js'
import type { Context } from '../context.js'
import { userEvent } from '../events/happenings.js'

/**
 * The user whom a provider vouches for, made at the first login. A user is known by provider and subject; an address
 * alone never logs in as that user. Spec, "Authentication" 9.
 *
 * @throws {LoginRefused} without a verified address, and where the address is another user's
 */
export async function userOfProfile(
  { backend, db, project }: Pick<Context, 'backend' | 'db' | 'project'>,
  authority: string,
  { subject, email, name }: ProviderProfile,
): Promise<OutgoingUser> {
  const address = email === undefined ? undefined : readEmail(email)
  if (!address) throw new LoginRefused('no_email_provided')
  const oauth = { provider: authority, subject }
  const known = await selectUserBySubject(db, project.id, oauth)
  if (known) return known

  const now = backend.now(project.id)
  // Ids begin with their time: what tells those of one minute apart is at the end.
  const id = backend.newId(now)
  const made = await insertUser(db, project.id, {
    id,
    email: address.shown,
    emailKey: address.key,
    json: JSON.stringify({ username: name ?? id.slice(-8) }),
    roles: [],
    oauth,
    emailVerified: true,
    passwordHash: null,
    at: now.toISOString(),
  })
  if (made) {
    backend.events.add(userEvent(project.id, 'created', made))
    return made
  }
  // A user has the address, or another login of the same person was faster.
  const [faster, holder] = await Promise.all([
    selectUserBySubject(db, project.id, oauth),
    selectUserByEmail(db, project.id, address.key),
  ])
  if (faster) return faster
  const isPasswordUser = holder !== undefined && !isOfProvider(holder)
  throw new LoginRefused(isPasswordUser ? 'email_already_registered_with_password' : 'authentication_failed')
}
