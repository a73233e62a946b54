import { createClient } from '../../client/index.js'
import type { OwnEmulator } from './emulator-of-run.js'
import { fetchDirectly } from './fetch-directly.js'
import { findUser } from './owner.js'

/**
 * Returns the id of a user of the emulator's project, by email or id.
 *
 * @throws {CliFailure} `NOT_FOUND` if no user has the email
 */
export async function findUserId({ url, apiKey }: OwnEmulator, user: string | undefined): Promise<string | undefined> {
  if (!user?.includes('@')) return user
  return (await findUser(createClient({ url, apiKey, fetch: fetchDirectly }), user)).id
}
