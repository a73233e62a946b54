/** Opens the ports, brings the database up to date, listens, and closes it all again. */
import { resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatDialect, readDialect } from '../client/protocol/wire/dialects.js'
import { type IndexKeeper, openIndexKeeper } from './background/indexes.js'
import { type Maintenance, startMaintenance } from './background/maintenance.js'
import { type FileKeeper, startFileKeeper } from './background/orphans.js'
import { openClock } from './clock.js'
import { type Config, defaultConfig } from './config.js'
import { openKnown } from './core/cache.js'
import type { Backend } from './core/context.js'
import { openIds } from './core/ids.js'
import { changeProject, openProject } from './core/projects/projects.js'
import { type Feeds, openFeeds } from './core/realtime/feeds.js'
import type { Database } from './database/port.js'
import { StartError } from './database/start-error.js'
import { openFolderKeys } from './folder-keys.js'
import { openLog } from './http/log.js'
import type { App } from './http/server.js'
import { localProviderPath, openLocalProvider } from './idp/local/app.js'
import { openIdentityProviders } from './idp/open.js'
import { type Listening, listen } from './listen.js'
import { openMemoryBus } from './ports/bus/memory-bus.js'
import type { Bus } from './ports/bus/port.js'
import { openMailbox } from './ports/mail/mailbox.js'
import type { Mailer } from './ports/mail/port.js'
import { openBcryptPool } from './ports/passwords/bcrypt-pool.js'
import type { Hasher } from './ports/passwords/port.js'
import { openStorage, type Storage } from './storage.js'
import { version } from './version.js'

export type { Config } from './config.js'

const mostPortsTried = 5

/** A running service: where it is, and what opens it. */
export interface Emulator {
  readonly url: string
  readonly wsUrl: string
  readonly storageUrl: string
  readonly dashboardUrl: string
  readonly projectId: string
  readonly apiKey: string
  /** Only when the project was made by this start; it is not kept readable. */
  readonly secretKey: string | undefined
  readonly controlToken: string
  readonly pid: number
  readonly dataDir: string | undefined
  readonly version: string
  /** Lets running requests finish, then closes the database. Nothing acknowledged is lost. */
  close(): Promise<void>
}

/**
 * Starts the service on this machine. It answers once this resolves.
 *
 * @throws {StartError} whose `code` and `hint` say why it cannot and what to do; nothing was changed.
 * @throws {SvcError} `INVALID_DIALECT`
 */
export async function startEmulator(options: Partial<Config> = {}): Promise<Emulator> {
  requireKnown(options)
  const config: Config = { ...defaultConfig, ...withoutUndefined(options) }
  const dialect = config.dialect === undefined ? undefined : formatDialect(readDialect(config.dialect))
  const folder = config.dir === undefined ? undefined : resolve(config.dir)
  const log = openLog({ level: config.log, folder })
  const warn = (message: string) => process.emitWarning(message)
  const about: { pid: number; url?: string } = { pid: process.pid }
  const loadServer = () => import('./http/server.js')
  const storage = await openStorage(config, {
    info: () => about,
    report: (error) => log.failure('database', error),
    // What answers requests is loaded meanwhile; before, it would hold up what comes before the database.
    whileOpening: () => void loadServer(),
  })
  const service: Service = {}
  try {
    const keys = await openFolderKeys({
      folder,
      isTokenNew: config.newToken,
      hasData: !config.memory && config.databaseUrl === undefined,
      warn,
    })
    const clock = openClock(config.now)
    const report = (error: unknown) => log.failure('maintenance', error)
    const maintenance = startMaintenance(storage.db, clock.now, report)
    service.maintenance = maintenance
    const fileKeeper = startFileKeeper(storage.db, storage.files, report)
    service.fileKeeper = fileKeeper
    const indexes = openIndexKeeper(storage.db, { now: clock.now, report })
    service.indexes = indexes
    const bus = await openBus(config, storage.db, report)
    service.bus = bus
    const feeds = openFeeds(storage.db, bus, report)
    service.feeds = feeds
    const passwords = openBcryptPool()
    service.passwords = passwords
    const newId = openIds()
    const mail = openMailbox({
      now: clock.now,
      newId,
      smtpUrl: config.smtpUrl,
      from: config.mailFrom,
      warn,
    })
    service.mail = mail
    let url = ''
    const localProvider = openLocalProvider({
      db: storage.db,
      url: () => url,
      now: Date.now,
      report,
    })
    const backend: Backend = {
      db: storage.db,
      url: () => url,
      now: clock.now,
      clock,
      newId,
      known: openKnown(),
      keyring: keys,
      bus,
      feeds,
      passwords,
      mail,
      providers: openIdentityProviders({ timeoutMilliseconds: config.providerTimeout }),
      localProvider,
      indexes,
      report,
      sweepSoon: maintenance.soon,
      files: storage.files,
      discardLater: fileKeeper.discardLater,
      sweepFilesSoon: fileKeeper.soon,
    }
    const { controlToken } = keys
    const apps = { [localProviderPath]: localProvider.answer }
    // The routes are put together once the database has its question.
    const [{ project, apiKey, secretKey }, app] = await Promise.all([
      openProject(backend, config.project),
      nextTurn()
        .then(loadServer)
        .then(({ createApp }) =>
          createApp(backend, {
            hosts: config.hosts,
            home: config.project,
            controlToken,
            log,
            openOrigins: true,
            trustedProxies: config.trustedProxies,
            apps,
          }),
        ),
    ])
    const wished = withoutUndefined({ dialect, tier: config.tier })
    if (Object.keys(wished).length > 0) await changeProject(backend, project.id, wished)
    const listening = await listenAt(app, config, keys.port)
    service.listening = listening
    const isPortKept = config.choosePort !== undefined || config.port !== 0
    if (isPortKept && (!config.memory || keys.port === undefined)) await keys.keepPort(listening.port)
    url = `http://${listening.host}:${listening.port}`
    about.url = url
    return {
      url,
      wsUrl: url.replace(/^http/, 'ws'),
      storageUrl: `${url}/files`,
      dashboardUrl: `${url}/_svc/`,
      projectId: project.id,
      apiKey,
      secretKey,
      controlToken,
      pid: process.pid,
      dataDir: storage.dataDir,
      version,
      close: () => close(storage, service),
    }
  } catch (error) {
    await close(storage, service)
    throw error
  }
}

/** @throws {StartError} `PORT_IN_USE`, also if each port that is chosen is taken by somebody else meanwhile. */
async function listenAt(app: App, { host, port, choosePort }: Config, kept: number | undefined): Promise<Listening> {
  for (let tries = 1; ; tries++) {
    try {
      return await listen(app, { host, port: choosePort ? await choosePort(kept) : port })
    } catch (error) {
      const isTaken = error instanceof StartError && error.code === 'PORT_IN_USE'
      if (!isTaken || !choosePort || tries === mostPortsTried) throw error
    }
  }
}

/** PostgreSQL may have other processes beside this one. */
async function openBus({ databaseUrl }: Config, db: Database, report: (error: unknown) => void): Promise<Bus> {
  if (databaseUrl === undefined) return openMemoryBus()
  const { openPostgresBus } = await import('./ports/bus/postgres-bus.js')
  return openPostgresBus({ url: databaseUrl, db, report })
}

/** What was started beside the database, and has to be stopped before it. */
interface Service {
  maintenance?: Maintenance
  fileKeeper?: FileKeeper
  indexes?: IndexKeeper
  bus?: Bus
  feeds?: Feeds
  passwords?: Hasher
  mail?: Mailer
  listening?: Listening
}

async function close(storage: Storage, service: Service) {
  const { maintenance, fileKeeper, indexes, bus, feeds, passwords, mail, listening } = service
  await listening?.close()
  feeds?.close()
  await bus?.close()
  await passwords?.close()
  await mail?.close()
  indexes?.close()
  await fileKeeper?.stop()
  await maintenance?.stop()
  await storage.close()
}

/** A misspelled option would be a default that nobody asked for. */
function requireKnown(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(defaultConfig, name))
  if (unknown === undefined) return
  const hint = `It takes: ${Object.keys(defaultConfig).join(', ')}.`
  throw new StartError('UNKNOWN_OPTION', `"${unknown}" is not an option of startEmulator.`, hint)
}

/** An option that is there but `undefined` means its default. */
function withoutUndefined<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>
}
