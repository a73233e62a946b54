/**
 * Checks whether a PostgreSQL server is suitable and how to fix it, for `svc serve check` and `svc doctor`. Changes
 * nothing.
 */
import { oldestMigration, outdated } from '../migrate.js'
import type { Database } from '../port.js'
import { StartError } from '../start-error.js'
import { newConnection } from './connect.js'
import { readServerFacts, type ServerFacts } from './facts.js'
import { openPostgres, type PostgresOptions } from './postgres.js'
import { asStartError, cannotOpen } from './server.js'
import { areElsewhere, openServer, type Server } from './server-address.js'

export interface CheckFinding {
  /** Stable across versions, for scripts. */
  readonly code: string
  /** `wrong` prevents a start or loses data; `note` is worth knowing. */
  readonly level: 'wrong' | 'note'
  readonly message: string
  readonly remedy: string
}

export interface CheckedServer {
  /** Describes the server in one line. */
  readonly said: string
  readonly findings: readonly CheckFinding[]
}

export interface ServerToCheck extends PostgresOptions {
  /** Whether a server that may lose acknowledged writes is `wrong` instead of a `note`. */
  readonly losesNothing: boolean
}

/** Connections of one process: those of its pool, which may use a pooler, and one that listens. */
const pooledOfProcess = 10
const listeningOfProcess = 1
/** Connections that the server reserves for superusers, and a few for other clients. */
const reservedConnections = 5
const maxClockMilliseconds = 5_000
const maxConnectMilliseconds = 5_000

/** @param also runs more checks over the same connections; errors become findings */
export async function checkServer(
  { losesNothing, ...options }: ServerToCheck,
  also: (db: Database) => Promise<void> = async () => undefined,
): Promise<CheckedServer> {
  try {
    const db = await openPostgres(options)
    try {
      const facts = await readServerFacts(db)
      const state = facts.migration === 0 ? 'empty' : `at migration ${facts.migration}`
      const isPooled = options.directUrl !== undefined && areElsewhere(options.url, options.directUrl)
      const said = `PostgreSQL ${facts.version}, ${facts.encoding}, ${facts.collation}, ${state}`
      const more = await Promise.all([
        also(db).then(noFindings, (error) => [asFinding(error)]),
        checkListening(options.directUrl),
      ])
      return { said, findings: [...findProblems(facts, { isPooled, losesNothing }), ...more.flat()] }
    } finally {
      await db.close()
    }
  } catch (error) {
    return { said: 'not usable', findings: [asFinding(error)] }
  }
}

const noFindings = (): CheckFinding[] => []

/** Checks the address for listening, which a start needs too. */
async function checkListening(url: string | undefined): Promise<CheckFinding[]> {
  if (url === undefined) return []
  const flag = '--database-listen-url'
  return openConnection(openServer(url, flag)).then(noFindings, (cause) => [asFinding(cannotOpen(url, cause, flag))])
}

/** Opens a connection, and closes it. */
async function openConnection(server: Server): Promise<void> {
  const client = newConnection(server, { connectionTimeoutMillis: maxConnectMilliseconds })
  client.on('error', () => undefined)
  await client.connect().finally(() => client.end().catch(() => undefined))
}

interface Needs {
  /** Whether a pooler is in front of the server. The number of connections that it opens is its own setting. */
  readonly isPooled: boolean
  readonly losesNothing: boolean
}

function findProblems(facts: ServerFacts, { isPooled, losesNothing }: Needs): CheckFinding[] {
  const { maxConnections, migration, newestMigration, clockAhead } = facts
  const needed = listeningOfProcess + (isPooled ? 0 : pooledOfProcess)
  const isCurrent = migration === newestMigration
  const isOutdated = migration > 0 && migration < oldestMigration
  const findings: readonly (false | CheckFinding)[] = [
    facts.isStandby &&
      wrong('STANDBY', 'It is a standby, which does not accept writes.', 'Use the address of the primary.'),
    migration > newestMigration &&
      wrong('DATA_NEWER', `It is at migration ${migration}; this svc supports ${newestMigration}.`, 'Update svc.'),
    isOutdated && asFinding(outdated(migration)),
    !isCurrent &&
      !facts.mayMigrate &&
      wrong(
        'NO_RIGHTS',
        'The role does not have permission to migrate it.',
        'Run: grant create on database … to …, or start svc once as its owner.',
      ),
    !facts.hasTrigrams &&
      wrong(
        'NO_TRIGRAMS',
        'The extension pg_trgm is not installed, and the role cannot create it.',
        'Run as the owner of the database or a superuser: create extension pg_trgm. It is part of postgresql-contrib.',
      ),
    !facts.isDurable &&
      (losesNothing ? wrong : note)(
        'NOT_DURABLE',
        'fsync or synchronous_commit is off: a power cut would lose acknowledged writes.',
        'Turn both on.',
      ),
    needed > maxConnections - reservedConnections &&
      wrong(
        'CONNECTIONS',
        `One process uses up to ${needed} of ${maxConnections} connections${isPooled ? ' besides the pooler' : ''}.`,
        `Raise max_connections${isPooled ? '' : ', or use a pooler'}.`,
      ),
    isPooled &&
      note(
        'POOLER',
        `Each process uses up to ${pooledOfProcess} connections of the pooler, and ${needed} of the server's ${maxConnections}.`,
        'Multiply by your processes: let the pooler accept that many connections (pgbouncer: max_client_conn), and leave that many of the server free (default_pool_size).',
      ),
    Math.abs(clockAhead) > maxClockMilliseconds &&
      note(
        'CLOCK',
        `Its clock differs from this machine's by ${Math.round(clockAhead / 1_000)} s.`,
        'Run NTP on both.',
      ),
    migration >= oldestMigration &&
      migration < newestMigration &&
      note(
        'MIGRATIONS',
        `The next start migrates it from ${migration} to ${newestMigration}.`,
        'Back it up first: an older svc refuses it afterwards.',
      ),
  ]
  return findings.filter((finding) => finding !== false)
}

export function asFinding(thrown: unknown): CheckFinding {
  const error = asStartError(thrown)
  if (error instanceof StartError) return wrong(error.code, error.message, error.hint)
  const { message } = error as Error
  return wrong('FAILED', message, 'See the log of the server.')
}

export const wrong = (code: string, message: string, remedy: string): CheckFinding => ({
  ...{ code, level: 'wrong', message, remedy },
})
export const note = (code: string, message: string, remedy: string): CheckFinding => ({
  ...{ code, level: 'note', message, remedy },
})
