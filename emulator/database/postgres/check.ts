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
const mostClockMilliseconds = 5_000
const mostConnectMilliseconds = 5_000

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
        also(db).then(noFindings, (error) => [wrongOf(error)]),
        checkListening(options.directUrl),
      ])
      return { said, findings: [...findingsOf(facts, { isPooled, losesNothing }), ...more.flat()] }
    } finally {
      await db.close()
    }
  } catch (error) {
    return { said: 'not to be used', findings: [wrongOf(error)] }
  }
}

const noFindings = (): CheckFinding[] => []

/** Checks the address for listening, which a start needs too. */
async function checkListening(url: string | undefined): Promise<CheckFinding[]> {
  if (url === undefined) return []
  const flag = '--database-listen-url'
  return openConnection(openServer(url, flag)).then(noFindings, (cause) => [wrongOf(cannotOpen(url, cause, flag))])
}

/** Opens a connection, and closes it. */
async function openConnection(server: Server): Promise<void> {
  const client = newConnection(server, { connectionTimeoutMillis: mostConnectMilliseconds })
  client.on('error', () => undefined)
  await client.connect().finally(() => client.end().catch(() => undefined))
}

interface Needs {
  /** Whether a pooler is in front of the server. The number of connections that it opens is its own setting. */
  readonly isPooled: boolean
  readonly losesNothing: boolean
}

function findingsOf(facts: ServerFacts, { isPooled, losesNothing }: Needs): CheckFinding[] {
  const { mostConnections, migration, newestMigration, clockAhead } = facts
  const needed = listeningOfProcess + (isPooled ? 0 : pooledOfProcess)
  const isCurrent = migration === newestMigration
  const isOutdated = migration > 0 && migration < oldestMigration
  const findings: readonly (false | CheckFinding)[] = [
    facts.isStandby && wrong('STANDBY', 'It is a standby, which takes no writes.', 'Name the primary.'),
    migration > newestMigration &&
      wrong('DATA_NEWER', `It is at migration ${migration}; this svc knows ${newestMigration}.`, 'Take a newer svc.'),
    isOutdated && wrongOf(outdated(migration)),
    !isCurrent &&
      !facts.mayMigrate &&
      wrong(
        'NO_RIGHTS',
        'The role may not bring it up to date.',
        'Run: grant create on database … to …, or let its owner start it once.',
      ),
    !facts.hasTrigrams &&
      wrong(
        'NO_TRIGRAMS',
        'The extension pg_trgm is not there, and the role cannot create it.',
        'As the owner of the database or a superuser: create extension pg_trgm. It is part of postgresql-contrib.',
      ),
    !facts.isDurable &&
      (losesNothing ? wrong : note)(
        'NOT_DURABLE',
        'fsync or synchronous_commit is off: a power cut loses what was acknowledged.',
        'Turn both on.',
      ),
    needed > mostConnections - reservedConnections &&
      wrong(
        'CONNECTIONS',
        `One process takes up to ${needed} of ${mostConnections} connections${isPooled ? ' past the pooler' : ''}.`,
        `Raise max_connections${isPooled ? '' : ', or put a pooler in between'}.`,
      ),
    isPooled &&
      note(
        'POOLER',
        `Each process takes up to ${pooledOfProcess} connections of the pooler, and ${needed} of the ${mostConnections} of the server itself.`,
        'Set the pooler to take that many times your processes, and to leave the server so many (in pgbouncer, max_client_conn and default_pool_size).',
      ),
    Math.abs(clockAhead) > mostClockMilliseconds &&
      note('CLOCK', `Its clock is ${Math.round(clockAhead / 1_000)} s off this machine's.`, 'Run NTP on both.'),
    migration >= oldestMigration &&
      migration < newestMigration &&
      note(
        'MIGRATIONS',
        `The next start brings it from migration ${migration} to ${newestMigration}.`,
        'Back it up first: an older svc refuses it afterwards.',
      ),
  ]
  return findings.filter((finding) => finding !== false)
}

export function wrongOf(thrown: unknown): CheckFinding {
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
