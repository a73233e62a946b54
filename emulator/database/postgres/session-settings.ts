import type pg from 'pg'
import { StartError } from '../start-error.js'

/**
 * Settings of every session, because the role, the database or the server may have others. They affect how values are
 * written and read, and what a transaction sees. Contract 10.13.
 */
export const sessionSettings = {
  search_path: 'svc,public',
  timezone: 'UTC',
  datestyle: 'ISO,MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  row_security: 'on',
  plan_cache_mode: 'auto',
  jit: 'off',
  // With the default for disks, the planner would rather read two large indexes than a few hundred rows.
  random_page_cost: '1.1',
} as const

type Settings = Readonly<Record<string, string | number>>

/** Formats the settings as connection options, which override those of the role and the database. */
export function connectionOptions(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')
}

interface Session {
  readonly name: string
  readonly setting: string
  readonly role: string
  readonly database: string
}

/**
 * Checks the settings where sessions cannot send them: through a pooler, the login role has to have them, even if it
 * acts as another role.
 * @throws {StartError} `DATABASE_SETTINGS` with the statements that set the missing ones
 */
export async function requireSettings(pool: pg.Pool, settings: Settings): Promise<void> {
  const names = Object.keys(settings)
  const { rows } = await pool.query<Session>(
    `select lower(name) as name, setting, session_user as role, current_database() as database
    from pg_settings where lower(name) = any($1::text[])`,
    [names],
  )
  const wrong = rows.filter(({ name, setting }) => plain(setting) !== plain(String(settings[name])))
  if (wrong.length === 0) return
  const statements = wrong.map(({ name, role, database }) => {
    const value = name === 'search_path' ? settings[name] : `'${settings[name]}'`
    return `alter role ${quoted(role)} in database ${quoted(database)} set ${name} = ${value};`
  })
  throw new StartError(
    'DATABASE_SETTINGS',
    `Sessions of the database have other values for ${wrong.map(({ name }) => name).join(', ')}.`,
    `Run this on the server itself, then make the pooler reconnect (RECONNECT):\n${statements.join('\n')}`,
  )
}

/** Servers write lists with spaces. */
const plain = (value: string) => value.replaceAll(/\s*,\s*/g, ',').toLowerCase()

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
