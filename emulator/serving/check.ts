/** `svc serve check`: whether a start would go well, and what to do where it would not. It changes nothing but a file of its own in the bucket. */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { readServerFacts, type ServerFacts } from '../database/postgres/facts.js'
import { StartError } from '../database/start-error.js'
import { openFileStore } from '../ports/files/open-file-store.js'
import type { FileStore } from '../ports/files/port.js'
import { filesFolder, requireServable, type ServeConfig } from './config.js'
import { checkSameSecret } from './secret.js'

export interface CheckFinding {
  /** The same in every version, for scripts. */
  readonly code: string
  /** `wrong` keeps it from starting or loses data; `note` is worth knowing. */
  readonly level: 'wrong' | 'note'
  readonly message: string
  readonly remedy: string
}

export interface Checked {
  readonly check: 'settings' | 'database' | 'files'
  /** What was seen, in one line. */
  readonly said: string
  readonly findings: readonly CheckFinding[]
}

/** Connections of one process: those of its pool, and one that listens. */
const connectionsOfProcess = 11
const mostClockMilliseconds = 5_000

export async function checkServing(config: ServeConfig): Promise<readonly Checked[]> {
  return [checkSettings(config), await checkDatabase(config), await checkFiles(config)]
}

function checkSettings(config: ServeConfig): Checked {
  const { publicUrl, smtpUrl, trustedProxies, workers } = config
  const notes: CheckFinding[] = [
    ...(publicUrl?.startsWith('http:')
      ? [note('NO_TLS', `Apps reach it at ${publicUrl}, without TLS.`, 'End TLS at a balancer, and name https://…')]
      : []),
    ...(smtpUrl === undefined
      ? [
          note(
            'NO_MAIL',
            'No mail server is set: addresses are not verified, passwords not reset.',
            'Set SVC_SMTP_URL.',
          ),
        ]
      : []),
    ...(publicUrl !== undefined && trustedProxies === 0
      ? [
          note(
            'NO_PROXY',
            'No proxy is trusted: behind a balancer, all clients share its rate limits.',
            'Say how many there are, as in --trusted-proxies 1.',
          ),
        ]
      : []),
  ]
  const said = `${workers} ${workers === 1 ? 'process' : 'processes'}, for ${publicUrl ?? 'this machine'}`
  try {
    requireServable(config)
    return { check: 'settings', said, findings: notes }
  } catch (error) {
    return { check: 'settings', said, findings: [wrongOf(error), ...notes] }
  }
}

async function checkDatabase(config: ServeConfig): Promise<Checked> {
  const { databaseUrl: url, databaseListenUrl: directUrl, databaseReadUrl: readUrl } = config
  const { openPostgres } = await import('../database/postgres/postgres.js')
  try {
    const db = await openPostgres({ url, directUrl, readUrl })
    try {
      const facts = await readServerFacts(db)
      const state = facts.migration === 0 ? 'empty' : `at migration ${facts.migration}`
      const said = `PostgreSQL ${facts.version}, ${facts.encoding}, ${facts.collation}, ${state}`
      const same = await checkSameSecret(db, config.secret).then(
        () => [],
        (error) => [wrongOf(error)],
      )
      return { check: 'database', said, findings: [...findingsOf(facts, config), ...same] }
    } finally {
      await db.close()
    }
  } catch (error) {
    return { check: 'database', said: 'not to be used', findings: [wrongOf(error)] }
  }
}

function findingsOf(facts: ServerFacts, { workers }: ServeConfig): CheckFinding[] {
  const { mostConnections, encoding, migration, newestMigration, clockAhead } = facts
  const needed = workers * connectionsOfProcess
  const isCurrent = migration === newestMigration
  const findings: readonly (false | CheckFinding)[] = [
    encoding !== 'UTF8' &&
      wrong(
        'ENCODING',
        `Its encoding is ${encoding}.`,
        "Make a database with: create database svc encoding 'UTF8' template template0",
      ),
    facts.isStandby &&
      wrong('STANDBY', 'It is a standby, which takes no writes.', 'Name the primary in SVC_DATABASE_URL.'),
    migration > newestMigration &&
      wrong('DATA_NEWER', `It is at migration ${migration}; this svc knows ${newestMigration}.`, 'Take a newer svc.'),
    !isCurrent &&
      !facts.mayMigrate &&
      wrong(
        'NO_RIGHTS',
        'The role may not bring it up to date.',
        'Run: grant create on database … to …, or let its owner start svc serve once.',
      ),
    !facts.hasTrigrams &&
      wrong(
        'NO_TRIGRAMS',
        'The extension pg_trgm is neither there nor to be had.',
        'Install postgresql-contrib, and run: create extension pg_trgm',
      ),
    !facts.isDurable &&
      wrong(
        'NOT_DURABLE',
        'fsync or synchronous_commit is off: a power cut loses what was acknowledged.',
        'Turn both on.',
      ),
    needed > mostConnections - 5 &&
      wrong(
        'CONNECTIONS',
        `${workers} processes take up to ${needed} connections of ${mostConnections}.`,
        'Raise max_connections, put a pooler in between, or run fewer workers.',
      ),
    Math.abs(clockAhead) > mostClockMilliseconds &&
      note('CLOCK', `Its clock is ${Math.round(clockAhead / 1_000)} s off this machine's.`, 'Run NTP on both.'),
    migration > 0 &&
      migration < newestMigration &&
      note(
        'MIGRATIONS',
        `The next start brings it from migration ${migration} to ${newestMigration}.`,
        'Back it up first: an older svc refuses it afterwards.',
      ),
  ]
  return findings.filter((finding) => finding !== false)
}

async function checkFiles(config: ServeConfig): Promise<Checked> {
  const folder = filesFolder(config)
  const place = { url: folder === undefined ? config.filesUrl : undefined, folder, place: 'check', isSynced: true }
  const said =
    folder === undefined ? 'a bucket: write, read, list, delete' : `the folder ${folder}: write, read, list, delete`
  let step = 'opened'
  try {
    const files = await openFileStore(place)
    try {
      for (const [name, work] of stepsOf(files)) {
        step = name
        await work()
      }
    } finally {
      await files.close()
    }
    return { check: 'files', said, findings: [] }
  } catch (error) {
    const found = error instanceof StartError ? wrongOf(error) : refused(step, error)
    return { check: 'files', said: 'not to be used', findings: [found] }
  }
}

/** What the service does with files, once each. */
function stepsOf(files: FileStore): readonly (readonly [string, () => Promise<void>])[] {
  const id = randomUUID()
  const content = `svc serve check ${id}`
  return [
    ['written', () => files.write(id, oneChunk(content))],
    [
      'read',
      async () => {
        const bytes = await files.read(id)
        if (!bytes || (await text(bytes)) !== content) throw new Error('other bytes came back')
      },
    ],
    [
      'listed',
      async () => {
        for await (const ids of files.list()) if (ids.includes(id)) return
        throw new Error('it is not in the list')
      },
    ],
    ['deleted', () => files.remove([id])],
  ]
}

async function* oneChunk(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content)
}

function refused(step: string, error: unknown): CheckFinding {
  const { message } = error as Error
  const remedy = 'The keys need s3:PutObject, GetObject, ListBucket and DeleteObject on the bucket and its objects.'
  return wrong('FILES_REFUSED', `A file could not be ${step}: ${message}`, remedy)
}

function wrongOf(error: unknown): CheckFinding {
  if (error instanceof StartError) return wrong(error.code, error.message, error.hint)
  const { message } = error as Error
  return wrong('FAILED', message, 'See the log of the server.')
}

const wrong = (code: string, message: string, remedy: string): CheckFinding => ({
  code,
  level: 'wrong',
  message,
  remedy,
})
const note = (code: string, message: string, remedy: string): CheckFinding => ({ code, level: 'note', message, remedy })
