/**
 * Runs `svc serve check`: tests whether a start would succeed, and says how to fix it if not. Changes nothing, except a
 * temporary file in the bucket.
 */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Database } from '../database/port.js'
import { type CheckFinding, checkServer, note, wrong, wrongOf } from '../database/postgres/check.js'
import { StartError } from '../database/start-error.js'
import { openFileStore } from '../ports/files/open-file-store.js'
import type { FileStore } from '../ports/files/port.js'
import { neededPermissions } from '../ports/files/s3-start.js'
import { filesFolder, isSecret, requireServable, type ServeConfig } from './config.js'
import { checkSameSecret } from './secret.js'

export interface Checked {
  readonly check: 'settings' | 'database' | 'files' | 'mail'
  /** The result in one line. */
  readonly said: string
  readonly findings: readonly CheckFinding[]
}

export async function checkServing(config: ServeConfig): Promise<readonly Checked[]> {
  return [checkSettings(config), await checkDatabase(config), await checkFiles(config), ...(await checkMail(config))]
}

function checkSettings(config: ServeConfig): Checked {
  const { publicUrl, smtpUrl, trustedProxies } = config
  const notes: CheckFinding[] = [
    ...(publicUrl?.startsWith('http:')
      ? [
          note(
            'NO_TLS',
            `Apps connect to ${publicUrl} without TLS.`,
            'Terminate TLS at a load balancer, and set --public-url to its https:// URL.',
          ),
        ]
      : []),
    ...(smtpUrl === undefined
      ? [
          note(
            'NO_MAIL',
            'No mail server is set, so users cannot verify addresses, reset passwords, or get login codes.',
            'Set SVC_SMTP_URL.',
          ),
        ]
      : []),
    ...(publicUrl !== undefined && trustedProxies === 0
      ? [
          note(
            'NO_PROXY',
            'No proxies are trusted. Behind a load balancer, all clients would share its rate limits.',
            'Set the number of proxies, for example --trusted-proxies 1.',
          ),
        ]
      : []),
  ]
  const said = `for ${publicUrl ?? 'this machine'}`
  try {
    requireServable(config)
    return { check: 'settings', said, findings: notes }
  } catch (error) {
    return { check: 'settings', said, findings: [wrongOf(error), ...notes] }
  }
}

async function checkDatabase(config: ServeConfig): Promise<Checked> {
  const { databaseUrl: url, databaseListenUrl: directUrl } = config
  const server = { url, directUrl, losesNothing: true }
  // Skips the comparison if the secret is missing or too short, which the settings check reports.
  const also = isSecret(config.secret) ? (db: Database) => checkSameSecret(db, config.secret) : undefined
  return { check: 'database', ...(await checkServer(server, also)) }
}

async function checkFiles(config: ServeConfig): Promise<Checked> {
  const folder = filesFolder(config)
  const place = {
    url: folder === undefined ? config.filesUrl : undefined,
    folder,
    place: async () => 'check',
    isSynced: true,
  }
  const said =
    folder === undefined ? 'a bucket: write, read, list, delete' : `the folder ${folder}: write, read, list, delete`
  let step = 'opened'
  try {
    const files = await openFileStore(place)
    try {
      for (const [name, work] of listSteps(files)) {
        step = name
        await work()
      }
    } finally {
      await files.close()
    }
    return { check: 'files', said, findings: [] }
  } catch (error) {
    const found = error instanceof StartError ? wrongOf(error) : refused(step, error)
    return { check: 'files', said: 'unusable', findings: [found] }
  }
}

/** Connects to the mail server, because a start does not, and the first mail would fail. */
async function checkMail({ smtpUrl }: ServeConfig): Promise<Checked[]> {
  if (smtpUrl === undefined) return []
  const { verifySmtp } = await import('../ports/mail/smtp.js')
  const findings = await verifySmtp(smtpUrl).then(
    () => [],
    ({ message }: Error) => [
      wrong(
        'MAIL_UNREACHABLE',
        `The mail server refused the connection or login: ${message}.`,
        'Check host, port, user and password in SVC_SMTP_URL.',
      ),
    ],
  )
  return [{ check: 'mail', said: findings.length === 0 ? 'a mail server: connect, log in' : 'unusable', findings }]
}

/** Runs each operation of the service on files once. */
function listSteps(files: FileStore): readonly (readonly [string, () => Promise<void>])[] {
  const id = randomUUID()
  const content = `svc serve check ${id}`
  return [
    ['written', () => files.write(id, oneChunk(content))],
    [
      'read',
      async () => {
        const bytes = await files.read(id)
        if (!bytes || (await text(bytes)) !== content) throw new Error('the bytes read differ from those written')
      },
    ],
    [
      'distinguished from a missing one',
      async () => {
        if (await files.has(randomUUID())) throw new Error('a file that was never written exists')
      },
    ],
    [
      'listed',
      async () => {
        for await (const ids of files.list()) if (ids.includes(id)) return
        throw new Error('the list does not contain it')
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
  return wrong('FILES_REFUSED', `A file could not be ${step}: ${message}`, neededPermissions)
}
