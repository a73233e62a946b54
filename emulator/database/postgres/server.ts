/** Which server an address names, and whether it will do. */
import type pg from 'pg'
import { StartError } from '../start-error.js'

/** The first version whose built-in collation folds case as filters need it. */
const oldestVersion = 17

/** @throws {StartError} `DATABASE_UNREACHABLE` or `DATABASE_TOO_OLD` */
export async function requireServer(pool: pg.Pool, url: string): Promise<void> {
  const { rows } = await pool
    .query(`select current_setting('server_version_num')::int as version`)
    .catch((cause: Error) => {
      throw new StartError(
        'DATABASE_UNREACHABLE',
        `Could not open ${withoutPassword(url)}: ${cause.message || (cause as { code?: string }).code}.`,
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

/** The driver would take any other text for the name of a database somewhere. It may hold a password, so it is not repeated. */
export function requirePostgresUrl(url: string): void {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return
  const hint = 'Write it as postgres://user:password@host:5432/database.'
  throw new StartError(
    'DATABASE_UNREACHABLE',
    'What --database-url says is not the address of a PostgreSQL server.',
    hint,
  )
}

function withoutPassword(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname}`
  } catch {
    return 'the database'
  }
}
