/** Config → a service that answers: opens the ports, brings the database up to date, listens, and closes it all in reverse. */
import { resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ProjectSettings } from '../client/protocol/model/project.js'
import { formatDialect, parseDialect } from '../client/protocol/wire/dialects.js'
import { openCheckpoints } from './background/checkpoints.js'
import { openIndexKeeper } from './background/indexes.js'
import { openKeyUses } from './background/key-uses.js'
import { onlyProcess, openLease } from './background/leader.js'
import { openMaintenance } from './background/maintenance.js'
import { openFileKeeper } from './background/orphans.js'
import { openVacuum } from './background/vacuum.js'
import { openClocks } from './clock.js'
import type { Config } from './config.js'
import { openCaches } from './core/caches.js'
import type { Backend } from './core/context.js'
import { openDocumentEvents } from './core/events/document-events.js'
import { openEventLog } from './core/events/event-log.js'
import { openFaults } from './core/faults/faults.js'
import { openIds } from './core/ids.js'
import { changeProject, type OpenedProject, openProject } from './core/projects/projects.js'
import { openFeeds } from './core/realtime/feeds.js'
import { openConnections } from './core/realtime/open-connections.js'
import { openRequestLog } from './core/requests/request-log.js'
import type { Database } from './database/port.js'
import { StartError } from './database/start-error.js'
import { type DisposalStack, openInOrder } from './disposal-stack.js'
import { type FolderKeys, openFolderKeys } from './folder-keys.js'
import { type Log, openLog } from './http/log.js'
import type { ServerHandlers } from './http/server.js'
import { type LocalApp, localProviderPath, openLocalProvider } from './idp/local/app.js'
import { openIdentityProviders } from './idp/open.js'
import { type Listening, listen } from './listen.js'
import { staticMounts } from './pages/mounts.js'
import { openMemoryBus } from './ports/bus/memory-bus.js'
import type { Bus } from './ports/bus/port.js'
import { openMemoryLimits } from './ports/limits/memory-limits.js'
import type { Limits } from './ports/limits/port.js'
import { openMailbox } from './ports/mail/mailbox.js'
import { openMailTransports } from './ports/mail/open-transports.js'
import { openBcryptPool } from './ports/passwords/bcrypt-pool.js'
import { openStorage, type Storage } from './storage.js'
import { openTotals } from './store/lists/totals.js'

const mostPortsTried = 5

/** A running service, and the project that it was opened for. */
export interface Service extends OpenedProject {
  readonly url: string
  readonly controlToken: string
  /** For whoever calls the core without HTTP. */
  readonly backend: Backend
  readonly dataDir: string | undefined
  /** Lets running requests finish, then closes what it stands on, the last opened first. Nothing acknowledged is lost. */
  close(): Promise<void>
}

/** What the parts of a service have in common. The address is known once it listens. */
interface Surroundings {
  readonly config: Config
  readonly folder: string | undefined
  readonly log: Log
  readonly about: { readonly pid: number; url?: string }
  readonly warn: (message: string) => void
}

/**
 * @throws {StartError} whose `code` and `hint` say why it cannot open and what to do; nothing was changed.
 * @throws {SvcError} `INVALID_DIALECT`
 */
export async function openService(config: Config): Promise<Service> {
  const wished = readWishes(config)
  const folder = config.dir === undefined ? undefined : resolve(config.dir)
  const log = openLog({ level: config.log, folder, onRequest: config.onRequest })
  const warn = (message: string) => process.emitWarning(message)
  const surroundings: Surroundings = { config, folder, log, warn, about: { pid: process.pid } }

  return openInOrder(async (stack) => {
    const storage = await openStorage(stack, config, {
      info: () => surroundings.about,
      report: (error) => log.failure('database', error),
      // What answers requests is loaded meanwhile; before, it would hold up what comes before the database.
      whileOpening: () => void loadServer(),
    })
    const keys = await openKeys(surroundings)
    const { backend, localProvider } = await openBackend(stack, storage, keys, surroundings)
    // The routes are put together once the database has its question.
    const [opened, app] = await Promise.all([
      openProject(backend, config.project),
      nextTurn().then(() => openApp(backend, keys, localProvider, surroundings)),
    ])
    if (Object.keys(wished).length > 0) await changeProject(backend, opened.project.id, wished)
    const listening = stack.use(await listenAt(app, config, keys.port))
    await keepPort(keys, config, listening.port)
    if (!config.holdsProcess) listening.unref()
    const url = `http://${listening.host}:${listening.port}`
    surroundings.about.url = url
    return { ...opened, url, backend, controlToken: keys.controlToken, dataDir: storage.dataDir }
  })
}

/** The settings of the project that the config names; the others stay as they were. */
function readWishes({ dialect, tier }: Config): Partial<ProjectSettings> {
  return {
    ...(dialect === undefined ? {} : { dialect: formatDialect(parseDialect(dialect)) }),
    ...(tier === undefined ? {} : { tier }),
  }
}

function openKeys({ config, folder, warn }: Surroundings): Promise<FolderKeys> {
  const hasData = !config.memory && config.databaseUrl === undefined
  return openFolderKeys({ folder, isTokenNew: config.newToken, hasData, warn, privateFolder: config.privateDir })
}

/** The ports and the background work, on an open database. */
async function openBackend(
  stack: DisposalStack,
  { db, files, dataDir }: Storage,
  keyring: FolderKeys,
  { config, log, about, warn }: Surroundings,
): Promise<{ backend: Backend; localProvider: LocalApp }> {
  const url = () => about.url ?? ''
  const report = (error: unknown) => log.failure('maintenance', error)
  const newId = openIds()
  const clocks = openClocks(config.now)
  const now = (project: string) => clocks.of(project).now()
  // PostgreSQL may have other processes beside this one.
  const leader = stack.use(config.databaseUrl === undefined ? onlyProcess : openLease(db, 'background'))
  const maintenance = stack.use(openMaintenance(db, { now: clocks.earliest, report, leader }))
  const fileKeeper = stack.use(openFileKeeper(db, files, { report, leader }))
  const indexes = stack.use(openIndexKeeper(db, { now: clocks.service.now, report, leader, announce: warn }))
  const vacuum = openVacuum(db, report)
  // It may take minutes, and is left to the database as it is.
  stack.defer(() => void vacuum.close())
  stack.use(openCheckpoints(db, report))
  const keyUses = stack.use(openKeyUses(db, report))
  const bus = stack.use(await openBus(config, db, report))
  const feeds = stack.use(openFeeds(db, bus, report))
  const passwords = stack.use(openBcryptPool())
  const mail = stack.use(
    openMailbox({ now, newId, transports: openMailTransports(config, config.mailFrom), from: config.mailFrom, warn }),
  )
  const localProvider = openLocalProvider({ db, url, now: Date.now, report: log.failure })
  const events = openEventLog()
  const connections = openConnections(events)
  const backend: Backend = {
    db: watched(db, indexes.busy),
    about: { pid: about.pid, dataDir, project: config.project, folder: keyring.folderId },
    url,
    now,
    clocks,
    newId,
    caches: openCaches(bus),
    keyring,
    keyUses,
    bus,
    limits: await openLimits(config, db),
    feeds,
    passwords,
    mail,
    providers: openIdentityProviders({ timeoutMilliseconds: config.providerTimeout }),
    localProvider,
    indexes,
    totals: openTotals(),
    requests: openRequestLog({ isOn: config.requestLog }),
    events,
    connections,
    faults: stack.use(openFaults(connections)),
    documentEvents: stack.use(openDocumentEvents({ db, bus, log: events, report })),
    report,
    sweepSoon: maintenance.soon,
    files,
    discardLater: fileKeeper.discardLater,
    sweepFilesSoon: fileKeeper.soon,
  }
  return { backend, localProvider }
}

/** The same database, which says when a request uses it. */
function watched(db: Database, used: () => void): Database {
  return {
    ...db,
    query(statement) {
      used()
      return db.query(statement)
    },
    batch(statements) {
      used()
      return db.batch(statements)
    },
    transaction(work) {
      used()
      return db.transaction(work)
    },
  }
}

async function openBus(
  { databaseUrl, databaseListenUrl }: Config,
  db: Database,
  report: (error: unknown) => void,
): Promise<Bus> {
  if (databaseUrl === undefined) return openMemoryBus()
  const { openPostgresBus } = await import('./ports/bus/postgres-bus.js')
  return openPostgresBus({ url: databaseListenUrl ?? databaseUrl, db, report })
}

async function openLimits({ databaseUrl }: Config, db: Database): Promise<Limits> {
  if (databaseUrl === undefined) return openMemoryLimits()
  const { openPostgresLimits } = await import('./ports/limits/postgres-limits.js')
  return openPostgresLimits(db)
}

const loadServer = () => import('./http/server.js')

async function openApp(
  backend: Backend,
  { controlToken }: FolderKeys,
  localProvider: LocalApp,
  { config: { hosts, project: home, trustedProxies, latency }, log }: Surroundings,
): Promise<ServerHandlers> {
  const { createApp } = await loadServer()
  const apps = { [localProviderPath]: localProvider.answer }
  const mounts = { apps, folders: staticMounts }
  return createApp(backend, { hosts, home, controlToken, log, openOrigins: true, trustedProxies, latency, ...mounts })
}

/** @throws {StartError} `PORT_IN_USE`, also if each port that is chosen is taken by somebody else meanwhile. */
async function listenAt(
  app: ServerHandlers,
  { host, port, choosePort }: Config,
  kept: number | undefined,
): Promise<Listening> {
  for (let tries = 1; ; tries++) {
    try {
      return await listen(app, { host, port: choosePort ? await choosePort(kept) : port })
    } catch (error) {
      const isTaken = error instanceof StartError && error.code === 'PORT_IN_USE'
      if (!isTaken || !choosePort || tries === mostPortsTried) throw error
    }
  }
}

/** The next start of the folder listens at the same port, unless this one took any that was free. */
async function keepPort(keys: FolderKeys, { memory, port, choosePort }: Config, taken: number): Promise<void> {
  const isChosen = choosePort !== undefined || port !== 0
  if (isChosen && (!memory || keys.port === undefined)) await keys.keepPort(taken)
}
