/** Whether a PostgreSQL server will do, and what to do where it will not: for `svc serve check` and `svc doctor`. Nothing is changed. */
import { oldestMigration, outdated } from '../migrate.js'
import type { Database } from '../port.js'
import { StartError } from '../start-error.js'
import { type Address, areElsewhere, type Server, serversOf } from './addresses.js'
import { newConnection } from './connect.js'
import { readServerFacts, type ServerFacts } from './facts.js'
import { findPrimary } from './find-primary.js'
import { openPostgres, type PostgresOptions } from './postgres.js'
import { asStartError, cannotOpen } from './server.js'

export interface CheckFinding {
  /** The same in every version, for scripts. */
  readonly code: string
  /** `wrong` keeps it from starting or loses data; `note` is worth knowing. */
  readonly level: 'wrong' | 'note'
  readonly message: string
  readonly remedy: string
}

export interface CheckedServer {
  /** What was seen, in one line. */
  readonly said: string
  readonly findings: readonly CheckFinding[]
}

export interface ServerToCheck extends PostgresOptions {
  /** How many processes share it. */
  readonly processes: number
  /** Whether a server that may lose what was acknowledged is wrong, rather than worth knowing. */
  readonly losesNothing: boolean
}

/** Connections of one process: those of its pool, which may go through a pooler, and one that listens. */
const pooledOfProcess = 10
const listeningOfProcess = 1
/** What the server keeps for its superusers, and a little for others. */
const reservedConnections = 5
const mostClockMilliseconds = 5_000
const mostConnectMilliseconds = 5_000

/** @param also looks at more over the same connections; what it throws is a finding */
export async function checkServer(
  { processes, losesNothing, ...options }: ServerToCheck,
  also: (db: Database) => Promise<void> = async () => undefined,
): Promise<CheckedServer> {
  try {
    const db = await openPostgres(options)
    try {
      const facts = await readServerFacts(db)
      const state = facts.migration === 0 ? 'empty' : `at migration ${facts.migration}`
      const needs = {
        processes,
        isPooled: options.directUrl !== undefined && areElsewhere(options.url, options.directUrl),
      }
      const said = `PostgreSQL ${facts.version}, ${facts.encoding}, ${facts.collation}, ${state}`
      const more = await Promise.all([
        also(db).then(noFindings, (error) => [wrongOf(error)]),
        checkListening(options.directUrl),
        checkStandbys(options.readUrl),
      ])
      return { said, findings: [...findingsOf(facts, needs, losesNothing), ...more.flat()] }
    } finally {
      await db.close()
    }
  } catch (error) {
    return { said: 'not to be used', findings: [wrongOf(error)] }
  }
}

const noFindings = (): CheckFinding[] => []

/** The address for what listens, which a start needs as much as the other. */
async function checkListening(url: Address | undefined): Promise<CheckFinding[]> {
  if (url === undefined) return []
  const flag = '--database-listen-url'
  return reach(serversOf(url, flag), flag).then(noFindings, (error) => [wrongOf(error)])
}

/** A start does not wait for standbys, so that one that is never found goes unnoticed. */
async function checkStandbys(url: Address | undefined): Promise<CheckFinding[]> {
  if (url === undefined) return []
  const flag = '--database-read-url'
  const findings = serversOf(url, flag).map((server) =>
    reach([server], flag).then(noFindings, ({ message, hint }) => [note('STANDBY_UNREACHABLE', message, hint)]),
  )
  return (await Promise.all(findings)).flat()
}

/** Opens a connection, and closes it. @throws {StartError} `DATABASE_UNREACHABLE` */
async function reach(servers: readonly Server[], flag: string): Promise<void> {
  try {
    const client = newConnection(await findPrimary(servers), { connectionTimeoutMillis: mostConnectMilliseconds })
    client.on('error', () => undefined)
    await client.connect().finally(() => client.end().catch(() => undefined))
  } catch (cause) {
    throw cannotOpen(servers, cause as Error, flag)
  }
}

interface Needs {
  readonly processes: number
  /** Whether a pooler stands before the server. How many connections that opens is its own setting. */
  readonly isPooled: boolean
}

function findingsOf(facts: ServerFacts, { processes, isPooled }: Needs, losesNothing: boolean): CheckFinding[] {
  const { mostConnections, migration, newestMigration, clockAhead } = facts
  const pooled = processes * pooledOfProcess
  const needed = processes * listeningOfProcess + (isPooled ? 0 : pooled)
  const taking = processes === 1 ? 'One process takes' : `${processes} processes take`
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
        `${taking} up to ${needed} connections of ${mostConnections}${isPooled ? ' past the pooler' : ''}.`,
        `Raise max_connections, ${isPooled ? '' : 'put a pooler in between, '}or run fewer workers.`,
      ),
    isPooled &&
      note(
        'POOLER',
        `${taking} up to ${pooled} connections of the pooler, and ${needed} of the ${mostConnections} of the server itself.`,
        'Have the pooler take as many, and leave so many to them (in pgbouncer, max_client_conn and default_pool_size).',
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
