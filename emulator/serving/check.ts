/** `svc serve check`: whether a start would go well, and what to do where it would not. It changes nothing but a file of its own in the bucket. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Database } from '../database/port.js'
import { asFinding, type CheckFinding, checkServer, note, wrong } from '../database/postgres/check.js'
import { StartError } from '../database/start-error.js'
import { type DisposalStack, openInOrder } from '../disposal-stack.js'
import { requirePlace } from '../listen.js'
import { openFileStore } from '../ports/files/open-file-store.js'
import type { FileStore } from '../ports/files/port.js'
import { neededPermissions } from '../ports/files/s3-start.js'
import { holdFolder, requireOwnParts } from '../storage.js'
import { filesFolder, hintedForServe, isSecret, placesOf, requireServable, type ServeConfig } from './config.js'
import { checkSameSecret } from './secret.js'

export interface Checked {
  readonly check: 'settings' | 'ports' | 'database' | 'files' | 'mail'
  /** What was seen, in one line. */
  readonly said: string
  readonly findings: readonly CheckFinding[]
}

export async function checkServing(config: ServeConfig): Promise<readonly Checked[]> {
  return [
    checkSettings(config),
    await checkPorts(config),
    await checkDatabase(config),
    await checkFiles(config),
    ...(await checkMail(config)),
  ]
}

function checkSettings(config: ServeConfig): Checked {
  const { publicUrl, smtpUrl, trustedProxies } = config
  const notes: CheckFinding[] = [
    ...(publicUrl?.startsWith('http:')
      ? [note('NO_TLS', `Apps reach it at ${publicUrl}, without TLS.`, 'End TLS at a balancer, and name https://…')]
      : []),
    ...(smtpUrl === undefined
      ? [
          note(
            'NO_MAIL',
            'No mail server is set: addresses are not verified, passwords not reset, codes of require2fa not sent.',
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
  const said = `for ${publicUrl ?? 'this machine'}`
  try {
    requireServable(config)
    return { check: 'settings', said, findings: notes }
  } catch (error) {
    return { check: 'settings', said, findings: [asFinding(error), ...notes] }
  }
}

/** Listens for a moment, as a start would. A process that serves there already has the ports. */
async function checkPorts(config: ServeConfig): Promise<Checked> {
  const places = Object.values(placesOf(config)).filter((place) => place !== undefined)
  const found = await Promise.all(
    places.map((place) =>
      requirePlace(place).then(
        () => [],
        (error) => [asFinding(error)],
      ),
    ),
  )
  const findings = found.flat()
  return { check: 'ports', said: findings.length === 0 ? 'free' : 'not to be used', findings }
}

async function checkDatabase(config: ServeConfig): Promise<Checked> {
  const { databaseUrl: url, databaseListenUrl: directUrl } = config
  const server = { url, directUrl, losesNothing: true }
  // One that is missing or too short is a finding of the settings, and no reason to change the secret of the others.
  const also = isSecret(config.secret) ? (db: Database) => checkSameSecret(db, config.secret) : undefined
  return { check: 'database', ...(await checkServer(server, also)) }
}

async function checkFiles(config: ServeConfig): Promise<Checked> {
  let step = 'opened'
  try {
    const folder = filesFolder(config)
    const opened = await openInOrder(async (stack) => {
      const files = stack.use(await openFilesToCheck(stack, config, folder))
      for (const [name, work] of stepsOf(files)) {
        step = name
        await work()
      }
      return {}
    })
    await opened.close()
    const where = folder === undefined ? 'a bucket' : `the folder ${folder}`
    return { check: 'files', said: `${where}: write, read, list, delete`, findings: [] }
  } catch (error) {
    const found = error instanceof StartError ? asFinding(hintedForServe(error)) : refused(step, error)
    return { check: 'files', said: 'not to be used', findings: [found] }
  }
}

/** Holds a folder as a start does, so that one that another process holds is refused. */
async function openFilesToCheck(
  stack: DisposalStack,
  { filesUrl }: ServeConfig,
  dir: string | undefined,
): Promise<FileStore> {
  const folder = await holdFolder(stack, { dir, memory: false }, () => ({ pid: process.pid }))
  // The database is the server's, so the folder has files alone.
  if (folder !== undefined) requireOwnParts({ databaseUrl: '', filesUrl: undefined }, folder, folder)
  return openFileStore({
    url: folder === undefined ? filesUrl : undefined,
    folder: folder && join(folder, 'files'),
    place: async () => 'check',
    isSynced: true,
  })
}

/** A start asks nothing of the mail server: without this, the first mail would find out. */
async function checkMail({ smtpUrl }: ServeConfig): Promise<Checked[]> {
  if (smtpUrl === undefined) return []
  const { verifySmtp } = await import('../ports/mail/smtp.js')
  const findings = await verifySmtp(smtpUrl).then(
    () => [],
    ({ message }: Error) => [
      wrong(
        'MAIL_UNREACHABLE',
        `The mail server does not take mail: ${message}.`,
        'Check host, port, user and password in SVC_SMTP_URL.',
      ),
    ],
  )
  return [
    { check: 'mail', said: findings.length === 0 ? 'a mail server: connect, log in' : 'not to be used', findings },
  ]
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
      'told from one that is missing',
      async () => {
        if (await files.has(randomUUID())) throw new Error('there is one under every name')
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
  return wrong('FILES_REFUSED', `A file could not be ${step}: ${message}`, neededPermissions)
}
