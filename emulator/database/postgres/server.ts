/** Which server an address names, and whether it will do. */
import { StartError } from '../start-error.js'
import { type Server, shownAddresses } from './addresses.js'
import type { Primary } from './primary.js'

/** The first version whose built-in collation folds case as filters need it. */
const oldestVersion = 17

/** @throws {StartError} `DATABASE_UNREACHABLE` or `DATABASE_TOO_OLD` */
export async function requireServer(primary: Primary, servers: readonly Server[]): Promise<void> {
  const { rows } = await primary
    .pool()
    .then((pool) => pool.query(`select current_setting('server_version_num')::int as version`))
    .catch((cause: Error) => {
      throw new StartError(
        'DATABASE_UNREACHABLE',
        `Could not open ${servers.flatMap(({ address }) => shownAddresses(address)).join(', ')}: ${cause.message || (cause as { code?: string }).code}.`,
        'Check that it runs, that the database exists, and the address, user and password in --database-url.',
        cause,
      )
    })
  const { version } = rows[0] as { version: number }
  if (version < oldestVersion * 10_000) {
    throw new StartError(
      'DATABASE_TOO_OLD',
      `PostgreSQL ${Math.floor(version / 10_000)} is too old.`,
      `Use PostgreSQL ${oldestVersion} or later.`,
    )
  }
}

/** What a database of a later version is reported as. */
export function newerServer(cause: Error): StartError {
  const hint = 'Update svc, or name another database with --database-url.'
  return new StartError('DATA_NEWER', `A newer svc has changed the database. ${cause.message}`, hint, cause)
}

/** Whether a pooler stands there, which hands no options on to the server. */
export function refusesOptions(error: unknown): boolean {
  const cause = error instanceof StartError ? error.cause : error
  return cause instanceof Error && /unsupported startup parameter/i.test(cause.message)
}
