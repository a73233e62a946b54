/** Checks the server at an address. */
import { DatabaseError } from '../port.js'
import { StartError } from '../start-error.js'
import type { Pool } from './pool.js'
import { type Server, shownAddress } from './server-address.js'
import { tlsRemedy } from './tls.js'

/** The first version whose built-in collation folds case as filters need it. */
const oldestVersion = 17

/** @throws {StartError} `DATABASE_UNREACHABLE`, `DATABASE_TOO_OLD` or `ENCODING` */
export async function requireServer(pool: Pool, { address }: Server): Promise<void> {
  const { rows } = await pool
    .connect()
    .then((client) =>
      client
        .query(`select current_setting('server_version_num')::int as version, getdatabaseencoding() as encoding`)
        .finally(() => client.release()),
    )
    .catch((cause: Error) => {
      throw cannotOpen(address, cause, '--database-url')
    })
  const { version, encoding } = rows[0] as { version: number; encoding: string }
  if (version < oldestVersion * 10_000) {
    throw new StartError(
      'DATABASE_TOO_OLD',
      `PostgreSQL ${Math.floor(version / 10_000)} is too old.`,
      `Use PostgreSQL ${oldestVersion} or later.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new StartError(
      'ENCODING',
      `The encoding of the database is ${encoding}, which cannot store most texts.`,
      "Create another database: create database svc encoding 'UTF8' template template0",
    )
  }
}

/** Reports a refused connection, with the flag that names the address. */
export function cannotOpen(address: string, cause: Error, flag: string): StartError {
  const said = (cause.message || (cause as { code?: string }).code || '').trim()
  return new StartError(
    'DATABASE_UNREACHABLE',
    `Could not open ${shownAddress(address)}: ${said.replace(/\.+$/, '')}.`,
    tlsRemedy(said, flag) ??
      `Check that it runs, that the database exists, and the address, user and password in ${flag}.`,
    cause,
  )
}

/** @throws the result of `asStartError` */
export function refuseStart(cause: unknown): never {
  throw asStartError(cause)
}

/** Explains a missing permission to the operator. Returns other errors as they are. */
export function asStartError(cause: unknown): unknown {
  if (!(cause instanceof DatabaseError) || cause.sqlState !== '42501') return cause
  return new StartError(
    'NO_RIGHTS',
    `The role of --database-url lacks a permission that svc needs to start: ${cause.message}.`,
    'Make it the owner of the database, and of the schema svc if that exists: alter database … owner to …; alter schema svc owner to …',
    cause,
  )
}

/** Reports a database of a later version. */
export function newerServer(cause: Error): StartError {
  const hint = 'Update svc, or use another database with --database-url.'
  return new StartError('DATA_NEWER', `A newer svc has changed the database. ${cause.message}`, hint, cause)
}

/** Whether the address leads to a pooler, which does not pass options to the server. */
export function refusesOptions(error: unknown): boolean {
  const cause = error instanceof StartError ? error.cause : error
  return cause instanceof Error && /unsupported startup parameter/i.test(cause.message)
}
