/** Config → a service that answers: opens the ports, brings the database up to date, listens, and closes it all in reverse. */
import { resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ProjectSettings } from '../client/protocol/model/project.js'
import { formatDialect, parseDialect } from '../client/protocol/wire/dialects.js'
import { publicOrigin } from './addresses.js'
import type { Config } from './config.js'
import type { Backend } from './core/context.js'
import { openEventLog } from './core/events/event-log.js'
import { changeProject, type OpenedProject, openProject } from './core/projects/projects.js'
import { damagedPages } from './database/pglite/state-folder.js'
import { DatabaseError } from './database/port.js'
import { shownAddress } from './database/postgres/server-address.js'
import { StartError } from './database/start-error.js'
import { type DisposalStack, openInOrder } from './disposal-stack.js'
import { type FolderKeys, openFolderKeys } from './folder-keys.js'
import { isFromThisMachine } from './http/guards/client-address.js'
import { requestedOrigin } from './http/guards/requested-origin.js'
import { type Log, openLog } from './http/logging/log.js'
import type { ServerHandlers } from './http/server.js'
import { type LocalApp, localProviderPath, openLocalProvider } from './idp/local/app.js'
import { type Listening, listen, requirePlace } from './listen.js'
import { openBackend } from './open-backend.js'
import { staticMounts } from './pages/mounts.js'
import { openMailbox } from './ports/mail/mailbox.js'
import { openMailTransports } from './ports/mail/open-transports.js'
import { openStorage, type Storage } from './storage.js'

const mostPortsTried = 5

/** A running service, and the project that it was opened for. */
export interface Service extends OpenedProject {
  readonly url: string
  readonly controlToken: string
  /** For callers of the core without HTTP. */
  readonly backend: Backend
  readonly dataDir: string | undefined
  /** Lets running requests finish, then closes what it stands on, the last opened first. Nothing acknowledged is lost. */
  close(): Promise<void>
}

/** What the parts of a service have in common. The address is known once it listens. */
interface Surroundings {
  readonly config: Config
  readonly folder: string | undefined
  readonly publicUrl: string | undefined
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
  const publicUrl = config.publicUrl === undefined ? undefined : publicOrigin(config.publicUrl)
  const folder = config.dir === undefined ? undefined : resolve(config.dir)
  const log = openLog({ level: config.log, folder, onRequest: config.onRequest })
  const warn = (message: string) => process.emitWarning(message, 'svc')
  const surroundings: Surroundings = { config, folder, log, warn, publicUrl, about: { pid: process.pid } }
  return openInOrder((stack) => openParts(stack, wished, surroundings)).catch((error) => {
    throw asDamage(error, surroundings) ?? error
  })
}

async function openParts(
  stack: DisposalStack,
  wished: Partial<ProjectSettings>,
  surroundings: Surroundings,
): Promise<Omit<Service, 'close'>> {
  const { config, log, warn } = surroundings
  const storage = await openStorage(stack, config, {
    // A port that is chosen later is a free one.
    beforeChanges: () => requirePlace({ host: config.host, port: config.choosePort ? 0 : config.port }),
    info: () => surroundings.about,
    report: (error) => log.failure('database', error),
    warn,
    // What answers requests is loaded meanwhile; before, it would hold up what comes before the database.
    whileOpening: () => void loadServer().then(loadControl),
  })
  const keys = await openKeys(surroundings)
  const { backend, localProvider } = await openEmulatorBackend(stack, storage, keys, surroundings)
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
}

/** Damaged data of the embedded database keep a start from coming about. It is logged, for `svc doctor` to know of. */
function asDamage(error: unknown, { config, folder, log }: Surroundings): StartError | undefined {
  if (folder === undefined || config.memory || config.databaseUrl !== undefined) return undefined
  const hasMetPages = error instanceof DatabaseError && error.kind === 'damaged'
  const doesNotOpen = error instanceof StartError && error.code === 'DATA_DAMAGED' && error.cause !== undefined
  if (hasMetPages || doesNotOpen) log.failure('start', error)
  return hasMetPages ? damagedPages(folder, error) : undefined
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

/** What an emulator has and the hosted service has not: keys of its folder, a mailbox, a provider of its own, a log of requests. */
async function openEmulatorBackend(
  stack: DisposalStack,
  { db, files, dataDir }: Storage,
  keyring: FolderKeys,
  { config, publicUrl, log, about, warn }: Surroundings,
): Promise<{ backend: Backend; localProvider: LocalApp }> {
  const listensAt = () => about.url ?? ''
  const servers = config.databaseUrl === undefined ? [] : [shownAddress(config.databaseUrl)]
  const localProvider = openLocalProvider({
    ...{ db, url: listensAt, now: Date.now, report: log.failure },
    isLocal: isFromThisMachine,
    reachedAt: ({ headers: { host } }) => publicUrl ?? requestedOrigin(host) ?? listensAt(),
  })
  const backend = await openBackend(
    stack,
    { db, files },
    {
      ...{ keyring, localProvider, log, warn },
      url: () => publicUrl ?? listensAt(),
      ...{ databaseUrl: config.databaseUrl, databaseListenUrl: config.databaseListenUrl, now: config.now },
      ...{ providerTimeout: config.providerTimeout, requestLog: config.requestLog },
      about: { pid: about.pid, dataDir, servers, project: config.project, folder: keyring.folderId, listensAt },
      events: openEventLog(),
      signingKey: (tokenSecret) => tokenSecret,
      openMailer: ({ now, newId }) =>
        openMailbox({
          now,
          newId,
          transports: openMailTransports(config, config.mailFrom),
          from: config.mailFrom,
          warn,
        }),
    },
  )
  return { backend, localProvider }
}

const loadServer = () => import('./http/server.js')
const loadControl = () => import('./http/profiles/emulator-routes.js')

async function openApp(
  backend: Backend,
  { controlToken }: FolderKeys,
  localProvider: LocalApp,
  { config, publicUrl, log }: Surroundings,
): Promise<ServerHandlers> {
  const { createApp } = await loadServer()
  const { controlRoutes } = await loadControl()
  const apps = { [localProviderPath]: localProvider.answer }
  const mounts = { apps, folders: staticMounts }
  const control = { token: controlToken, routes: controlRoutes }
  const { project: home, trustedProxies, latency } = config
  const hosts = [...config.hosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])]
  const followsHost = publicUrl === undefined
  const options = { hosts, followsHost, home, control, log, openOrigins: true, trustedProxies, latency }
  return createApp(backend, { ...options, ...mounts })
}

/** @throws {StartError} `PORT_IN_USE`, also if each port that is chosen is taken by another process meanwhile. */
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
