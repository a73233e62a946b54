/**
 * Runs `svc serve check`: tests whether a start would succeed, and says how to fix it if not. Changes nothing, except a
 * temporary file in the bucket.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { mailVariables } from '../../client/protocol/model/mail-transports.js'
import { type DisposalStack, openInOrder } from '../assembly/disposal-stack.js'
import { requireFreePort } from '../assembly/listen.js'
import { holdFolder, requireOwnParts } from '../assembly/storage.js'
import type { Database } from '../database/port.js'
import { asFinding, type CheckFinding, checkServer, note, wrong } from '../database/postgres/check.js'
import { StartError } from '../database/start-error.js'
import { openFileStore } from '../ports/files/open-file-store.js'
import type { FileStore } from '../ports/files/port.js'
import { neededPermissions } from '../ports/files/s3-start.js'
import { openMailTransports } from '../ports/mail/open-transports.js'
import { filesFolder, isSecret, listAddresses, requireServable, type ServeConfig, withServeHint } from './config.js'
import { checkSameSecret } from './secret.js'

export interface Checked {
  readonly check: 'settings' | 'ports' | 'database' | 'files' | 'mail'
  /** The result in one line. */
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
  const { publicUrl, trustedProxies, mailFrom } = config
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
    ...(openMailTransports(config, mailFrom).length === 0
      ? [
          note(
            'NO_MAIL',
            'No mail server is set, so users cannot verify addresses, reset passwords, or get login codes.',
            `Set ${mailVariables.join(' or ')}.`,
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
    return { check: 'settings', said, findings: [asFinding(error), ...notes] }
  }
}

/** Listens briefly, like a start. Fails if another process uses the ports. */
async function checkPorts(config: ServeConfig): Promise<Checked> {
  const addresses = Object.values(listAddresses(config)).filter((address) => address !== undefined)
  const found = await Promise.all(
    addresses.map((address) =>
      requireFreePort(address).then(
        () => [],
        (error) => [asFinding(error)],
      ),
    ),
  )
  const findings = found.flat()
  return { check: 'ports', said: findings.length === 0 ? 'free' : 'unusable', findings }
}

async function checkDatabase(config: ServeConfig): Promise<Checked> {
  const { databaseUrl: url, databaseListenUrl: directUrl } = config
  const server = { url, directUrl, losesNothing: true }
  // Skips the comparison if the secret is missing or too short, which the settings check reports.
  const also = isSecret(config.secret) ? (db: Database) => checkSameSecret(db, config.secret) : undefined
  return { check: 'database', ...(await checkServer(server, also)) }
}

async function checkFiles(config: ServeConfig): Promise<Checked> {
  let step = 'opened'
  try {
    const folder = filesFolder(config)
    const opened = await openInOrder(async (stack) => {
      const files = stack.use(await openFilesToCheck(stack, config, folder))
      for (const [name, work] of listSteps(files)) {
        step = name
        await work()
      }
      return {}
    })
    await opened.close()
    const where = folder === undefined ? 'a bucket' : `the folder ${folder}`
    return { check: 'files', said: `${where}: write, read, list, delete`, findings: [] }
  } catch (error) {
    const found = error instanceof StartError ? asFinding(withServeHint(error)) : refused(step, error)
    return { check: 'files', said: 'unusable', findings: [found] }
  }
}

/** Locks the folder like a start, so that one in use by another process is refused. */
async function openFilesToCheck(
  stack: DisposalStack,
  { filesUrl }: ServeConfig,
  dir: string | undefined,
): Promise<FileStore> {
  const folder = await holdFolder(stack, { dir, memory: false }, () => ({ pid: process.pid }))
  // The database is on the server, so the folder only has files.
  if (folder !== undefined) requireOwnParts({ databaseUrl: '', filesUrl: undefined }, folder, folder)
  return openFileStore({
    url: folder === undefined ? filesUrl : undefined,
    folder: folder && join(folder, 'files'),
    place: async () => 'check',
    isSynced: true,
  })
}

/** Connects to the mail server, because a start does not, and the first mail would fail. */
function checkMail(config: ServeConfig): Promise<Checked[]> {
  const checks = openMailTransports(config, config.mailFrom).map(async ({ variable, verify, close }) => {
    const findings = await verify()
      .then(
        () => [],
        ({ message }: Error) => [
          wrong(
            'MAIL_UNREACHABLE',
            `The mail server refused the connection or login: ${message}.`,
            `Check host, port, user and password in ${variable}.`,
          ),
        ],
      )
      .finally(() => close().catch(() => undefined))
    return {
      check: 'mail',
      said: findings.length === 0 ? 'a mail server: connect, log in' : 'unusable',
      findings,
    } as const
  })
  return Promise.all(checks)
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
