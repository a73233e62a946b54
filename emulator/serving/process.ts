/** Runs one process of `svc serve`, which shuts down without losing a request. */
import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type DisposalStack, openInOrder } from '../assembly/disposal-stack.js'
import { closingTime, type Listening, listen } from '../assembly/listen.js'
import { openBackend } from '../assembly/open-backend.js'
import { openStorage } from '../assembly/storage.js'
import type { Backend, Keyring } from '../core/context.js'
import { openEventLog } from '../core/events/event-log.js'
import { version } from '../facts/version.js'
import { type Log, openLog } from '../http/logging/log.js'
import { type AppOptions, createApp } from '../http/server.js'
import { openMailTransports } from '../ports/mail/open-transports.js'
import { openOutbox } from '../ports/mail/outbox.js'
import { type Drainable, guarded, openAdmin } from './admin.js'
import { filesFolder, listAddresses, requireServable, type ServeConfig, withServeHint } from './config.js'
import { openHangWatch } from './hang-watch.js'
import type { Metrics } from './metrics.js'
import { openReadiness } from './readiness.js'
import { requireSameSecret } from './secret.js'

export interface ServingProcess {
  readonly url: string
  readonly adminUrl: string | undefined
  /**
   * Reports not ready, accepts requests for the delay, lets requests in progress finish, ends streams, and closes all
   * resources. Takes at most 10 s plus the delay and the timeout of the config. Loses nothing that was acknowledged.
   */
  close(): Promise<void>
  /** Does the same without the delay, for a process that must not accept more requests. */
  closeNow(): Promise<void>
}

/** Makes sockets reconnect to another process, or to this one's successor. */
const restart = { code: 1012, reason: 'restarting' }

/** Stores keys in the database only. */
const noKeyring: Keyring = {
  hasData: false,
  keysOf: async () => [],
  keepFirst: async (_project, keys) => keys,
  changing: (work) => work(),
  keep: async () => undefined,
  nextStep: async () => 0,
  keepStep: async () => undefined,
}

/** @throws {StartError} whose `code` says why it cannot start and whose `hint` says how to fix it */
export async function openServing(config: ServeConfig): Promise<ServingProcess> {
  requireServable(config)
  const log = openLog({ level: config.log, folder: undefined, isOfService: true })
  const hurry = new AbortController()
  const about: { url?: string } = config.publicUrl === undefined ? {} : { url: new URL(config.publicUrl).origin }
  const opened = await openInOrder(async (stack) => {
    stack.use(openHangWatch(config.hangTimeout, log))
    const backend = await openServedBackend(stack, config, { log, url: () => about.url ?? '' })
    const readiness = openReadiness(backend)
    const state: Drainable = { isDraining: false }
    const metrics = await openOwnMetrics(stack, config, backend)
    const options = appOptions(config, withMetrics(log, metrics))
    const maxClosingMilliseconds = closingTime(config.shutdownTimeout)
    const parts = { backend, metrics, options, readiness, state, maxClosingMilliseconds }
    // Opens the admin port first, so that it closes last and answers probes until all requests are done.
    const admin = await openAdmin(stack, config, parts)
    const app = guarded(createApp(backend, options), parts)
    const main = stack.use(await listen(app, { ...listAddresses(config).main, maxClosingMilliseconds }))
    about.url ??= formatUrl(main)
    // Runs first on close.
    stack.defer(async () => {
      readiness.stop()
      state.isDraining = true
      await pause(config.shutdownDelay, undefined, hurry).catch(() => undefined)
    })
    return { url: formatUrl(main), adminUrl: admin && formatUrl(admin) }
  })
  return {
    ...opened,
    closeNow() {
      hurry.abort()
      return opened.close()
    },
  }
}

interface Surroundings {
  readonly log: Log
  readonly url: () => string
}

async function openServedBackend(
  stack: DisposalStack,
  config: ServeConfig,
  { log, url }: Surroundings,
): Promise<Backend> {
  const { secret, mailFrom } = config
  const folder = filesFolder(config)
  const warn = (message: string) => log.warn(message)
  const { databaseUrl, databaseListenUrl } = config
  const storage = await openStorage(
    stack,
    {
      ...{ dir: folder, branch: undefined, memory: false, fresh: false, holdsProcess: true },
      ...{ databaseUrl, databaseListenUrl },
      filesUrl: folder === undefined ? config.filesUrl : undefined,
    },
    {
      beforeChanges: async () => undefined,
      info: () => ({ pid: process.pid, url: url() }),
      report: (error) => log.failure('database', error),
      warn,
      whileOpening: () => undefined,
    },
  ).catch((error) => {
    throw withServeHint(error)
  })
  await requireSameSecret(storage.db, secret)
  return openBackend(stack, storage, {
    about: { pid: process.pid, dataDir: undefined, servers: [], project: '', folder: '', listensAt: url },
    // Keeps no events, because `svc serve` has no event stream.
    events: openEventLog({ events: 0, bytes: 0 }),
    keyring: noKeyring,
    localProvider: undefined,
    now: () => new Date(),
    openMailer: ({ now, newId }) =>
      openOutbox({ now, newId, transports: openMailTransports(config, mailFrom), from: mailFrom, warn }),
    providerTimeout: 9_000,
    requestLog: false,
    signingKey: (tokenSecret) => createHmac('sha256', secret).update(`project ${tokenSecret}`).digest('base64url'),
    ...{ databaseUrl, databaseListenUrl, log, url, warn },
  })
}

/** Collects nothing if no metrics are served. */
async function openOwnMetrics(
  stack: DisposalStack,
  { adminPort }: ServeConfig,
  backend: Backend,
): Promise<Metrics | undefined> {
  if (adminPort === undefined) return undefined
  const { openMetrics } = await import('./metrics.js')
  return stack.use(openMetrics(backend, version))
}

function withMetrics(log: Log, metrics: Metrics | undefined): Log {
  if (!metrics) return log
  return {
    ...log,
    isOpen: true,
    request(line) {
      metrics.request(line)
      log.request(line)
    },
  }
}

function appOptions({ publicUrl, allowedHosts, trustedProxies }: ServeConfig, log: Log): AppOptions {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return {
    hosts: [...own, ...allowedHosts],
    home: undefined,
    openOrigins: false,
    latency: () => 0,
    farewell: restart,
    ...{ log, trustedProxies },
  }
}

function formatUrl({ host, port }: Listening): string {
  return `http://${host}:${port}`
}
