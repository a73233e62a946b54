/** Starts a service from its config: opens the ports, migrates the database and listens. Closes in reverse order. */
import { resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ProjectSettings } from '../../client/protocol/model/project.js'
import { formatDialect, parseDialect } from '../../client/protocol/wire/dialects.js'
import type { Backend } from '../core/context.js'
import { openEventLog } from '../core/events/event-log.js'
import { changeProject, type OpenedProject, openProject } from '../core/projects/projects.js'
import { damagedPages } from '../database/pglite/state-folder.js'
import { DatabaseError } from '../database/port.js'
import { shownAddress } from '../database/postgres/server-address.js'
import { StartError } from '../database/start-error.js'
import { publicOrigin } from '../facts/addresses.js'
import { isFromThisMachine } from '../http/guards/client-address.js'
import { requestedOrigin } from '../http/guards/requested-origin.js'
import { type Log, openLog } from '../http/logging/log.js'
import type { ServerHandlers } from '../http/server.js'
import { type LocalApp, localProviderPath, openLocalProvider } from '../idp/local/app.js'
import { staticMounts } from '../pages/mounts.js'
import { openMailbox } from '../ports/mail/mailbox.js'
import { openMailTransports } from '../ports/mail/open-transports.js'
import type { Config } from './config.js'
import { type DisposalStack, openInOrder } from './disposal-stack.js'
import { type FolderKeys, openFolderKeys } from './folder-keys.js'
import { type Listening, listen, requireFreePort } from './listen.js'
import { openBackend } from './open-backend.js'
import { openStorage, type Storage } from './storage.js'

const maxPortTries = 5

/** A running service, and its project. */
export interface Service extends OpenedProject {
  readonly url: string
  readonly controlToken: string
  /** For callers that use the core without HTTP. */
  readonly backend: Backend
  readonly dataDir: string | undefined
  /** Lets requests in progress finish, then closes everything in reverse order. Loses nothing that was acknowledged. */
  close(): Promise<void>
}

/** Shared by the parts of a service. The address is known after it listens. */
interface Surroundings {
  readonly config: Config
  readonly folder: string | undefined
  readonly publicUrl: string | undefined
  readonly log: Log
  readonly about: { readonly pid: number; url?: string }
  readonly warn: (message: string) => void
}

/**
 * @throws {StartError} whose `code` says why it cannot open and whose `hint` says how to fix it; then nothing has
 * changed
 * @throws {SvcError} `INVALID_DIALECT`
 */
export async function openService(config: Config): Promise<Service> {
  const requested = readRequestedSettings(config)
  const publicUrl = config.publicUrl === undefined ? undefined : publicOrigin(config.publicUrl)
  const folder = config.dir === undefined ? undefined : resolve(config.dir)
  const log = openLog({ level: config.log, folder, onRequest: config.onRequest })
  const warn = (message: string) => process.emitWarning(message, 'svc')
  const surroundings: Surroundings = { config, folder, log, warn, publicUrl, about: { pid: process.pid } }
  return openInOrder((stack) => openParts(stack, requested, surroundings)).catch((error) => {
    throw asDamage(error, surroundings) ?? error
  })
}

async function openParts(
  stack: DisposalStack,
  requested: Partial<ProjectSettings>,
  surroundings: Surroundings,
): Promise<Omit<Service, 'close'>> {
  const { config, log, warn } = surroundings
  const storage = await openStorage(stack, config, {
    // A port that is chosen later will be free.
    beforeChanges: () => requireFreePort({ host: config.host, port: config.choosePort ? 0 : config.port }),
    info: () => surroundings.about,
    report: (error) => log.failure('database', error),
    warn,
    // Loads the HTTP server while the database opens. Earlier, it would delay the database.
    whileOpening: () => void loadServer().then(loadControl),
  })
  const keys = await openKeys(surroundings)
  const { backend, localProvider } = await openEmulatorBackend(stack, storage, keys, surroundings)
  // Builds the routes while the database works.
  const [opened, app] = await Promise.all([
    openProject(backend, config.project),
    nextTurn().then(() => openApp(backend, keys, localProvider, surroundings)),
  ])
  if (Object.keys(requested).length > 0) await changeProject(backend, opened.project.id, requested)
  const listening = stack.use(await listenAt(app, config, keys.port))
  await keepPort(keys, config, listening.port)
  if (!config.holdsProcess) listening.unref()
  const url = `http://${listening.host}:${listening.port}`
  surroundings.about.url = url
  return { ...opened, url, backend, controlToken: keys.controlToken, dataDir: storage.dataDir }
}

/** Turns damaged data of the embedded database into a start error, and logs it for `svc doctor`. */
function asDamage(error: unknown, { config, folder, log }: Surroundings): StartError | undefined {
  if (folder === undefined || config.memory || config.databaseUrl !== undefined) return undefined
  const hasMetPages = error instanceof DatabaseError && error.kind === 'damaged'
  const doesNotOpen = error instanceof StartError && error.code === 'DATA_DAMAGED' && error.cause !== undefined
  if (hasMetPages || doesNotOpen) log.failure('start', error)
  return hasMetPages ? damagedPages(folder, error) : undefined
}

/** Reads the project settings in the config. Others stay unchanged. */
function readRequestedSettings({ dialect, tier }: Config): Partial<ProjectSettings> {
  return {
    ...(dialect === undefined ? {} : { dialect: formatDialect(parseDialect(dialect)) }),
    ...(tier === undefined ? {} : { tier }),
  }
}

function openKeys({ config, folder, warn }: Surroundings): Promise<FolderKeys> {
  const hasData = !config.memory && config.databaseUrl === undefined
  return openFolderKeys({ folder, isTokenNew: config.newToken, hasData, warn, privateFolder: config.privateDir })
}

/** Adds the parts that only an emulator has: folder keys, a mailbox, a built-in provider, a request log. */
async function openEmulatorBackend(
  stack: DisposalStack,
  { db, files, dataDir }: Storage,
  keyring: FolderKeys,
  { config, folder, publicUrl, log, about, warn }: Surroundings,
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
      about: {
        ...{ pid: about.pid, dataDir, servers, project: config.project, folder: keyring.folderId, listensAt },
        stateFolder: folder,
      },
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

const loadServer = () => import('../http/server.js')
const loadControl = () => import('../http/profiles/emulator-routes.js')

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

/** @throws {StartError} `PORT_IN_USE`, also if other processes keep taking the chosen ports */
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
      if (!isTaken || !choosePort || tries === maxPortTries) throw error
    }
  }
}

/** Saves the port for the folder's next start, unless any free port was requested. */
async function keepPort(keys: FolderKeys, { memory, port, choosePort }: Config, taken: number): Promise<void> {
  const isChosen = choosePort !== undefined || port !== 0
  if (isChosen && (!memory || keys.port === undefined)) await keys.keepPort(taken)
}
