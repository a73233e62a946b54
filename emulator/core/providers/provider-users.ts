import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import { isOfProvider } from '../../../client/protocol/model/user.js'
import { LoginRefused, type ProviderProfile } from '../../idp/provider.js'
import { insertUser, selectUserByEmail, selectUserBySubject } from '../../store/accounts/users.js'
import { readEmail } from '../accounts/emails.js'
import type { Context } from '../context.js'
import { userEvent } from '../events/happenings.js'

/**
 * Finds the user that a provider authenticated, or creates them at the first login. Matches users by provider and
 * subject, never by email address alone. Spec, "Authentication" 9.
 *
 * @throws {LoginRefused} without a verified address, or if another user has the address
 */
export async function findOrCreateUser(
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
  // Uses the end of the id, because ids start with their time, and ids of the same minute start alike.
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
  // Another user has the address, or a parallel login of the same person was faster.
  const [faster, holder] = await Promise.all([
    selectUserBySubject(db, project.id, oauth),
    selectUserByEmail(db, project.id, address.key),
  ])
  if (faster) return faster
  const isPasswordUser = holder !== undefined && !isOfProvider(holder)
  throw new LoginRefused(isPasswordUser ? 'email_already_registered_with_password' : 'authentication_failed')
}
