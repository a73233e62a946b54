/** Builds the service as one request listener. Disables most settings of Express for speed. */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import express, { type Express } from 'express'
import { type MemoryLimits, openMemoryBudget } from '../core/concurrency/memory-budget.js'
import type { Backend } from '../core/context.js'
import { version } from '../facts/version.js'
import type { StaticMount } from '../pages/mounts.js'
import { openChunkTurns } from './guards/chunk-turns.js'
import { openIdentityWatch } from './guards/identity-watch.js'
import { openHostCheck, openToNames } from './guards/origins.js'
import { openPublicBudget } from './guards/public-budget.js'
import { openRateLimiter } from './guards/rate-limit.js'
import { requestedOrigin } from './guards/requested-origin.js'
import { openTurns } from './guards/turns.js'
import type { HttpContext } from './http-context.js'
import type { Log } from './logging/log.js'
import { mountApp, mountPlaces, mountRest, type Respond } from './mount.js'
import { listPlaces, readingPlace, refusePlainRequest } from './places.js'
import { type ConnectionLimits, openConnectionSlots } from './realtime/connection-slots.js'
import { openMessagesAtWork } from './realtime/messages-at-work.js'
import type { Streams } from './realtime/sse.js'
import { type Farewell, openRealtime, socketPaths } from './realtime/websocket.js'
import { openReaders, type ReaderLimits } from './reply/readers.js'
import { watchRequests } from './requests/request-events.js'
import type { Route } from './route.js'
import { openRouter } from './router.js'
import { aboutRoutes } from './routes/about.js'
import { routes } from './routes/index.js'
import { run } from './run.js'
import { mountFolders } from './static.js'
import { serveStoredFile, storedFilePath } from './stored-files.js'

export interface AppOptions {
  /** Host names that requests may use besides this machine's own, or any. */
  readonly hosts: readonly string[] | 'any'
  /** Whether addresses of files and logins use the host of the request. Only allowed hosts get that far. */
  readonly followsHost?: boolean
  /** The project that the service was started for, if any. */
  readonly home: string | undefined
  /** The control API and its token. Omitted, there is none. */
  readonly control?: { readonly token: string; readonly routes: readonly Route[] }
  readonly log: Log
  /** Separate apps, by the path they are mounted below. They answer under the same hosts as the service. */
  readonly apps?: { readonly [path: string]: RequestListener }
  /** Folders of files. Routes and apps below the same paths take precedence. */
  readonly folders?: readonly StaticMount[]
  /** Whether pages of any server on this machine may call. True on a developer's machine. */
  readonly openOrigins: boolean
  /** The number of trusted proxies in front of the service, for finding client addresses. */
  readonly trustedProxies: number
  /** Milliseconds by which to delay the next answer of the project's API. */
  readonly latency: () => number
  /** Limits for slow readers. Each has a default. */
  readonly readerLimits?: Partial<ReaderLimits>
  /** Limits for the memory of bodies, work and answers. Each has a default. */
  readonly memoryLimits?: Partial<MemoryLimits>
  /** Limits for realtime connections. Each has a default. */
  readonly connectionLimits?: Partial<ConnectionLimits>
  /** The close code and reason for WebSockets when the service stops. Defaults to "going away". */
  readonly farewell?: Farewell
}

/** The listeners of a server. */
export interface ServerHandlers {
  readonly answer: RequestListener
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Called when a client connects. */
  connected?(socket: Socket): void
  /** Ends the streams, which would otherwise never finish. */
  close(): void
}

export function createApp(backend: Backend, options: AppOptions): ServerHandlers {
  const { control: { routes: control } = { routes: [] }, apps = {}, folders = [], farewell } = options
  const unwatchRequests = watchRequests(backend)
  const http = openHttpContext(backend, options)
  const places = [
    ...listPlaces(http, [...routes, ...control, ...aboutRoutes(routes, control, version)]),
    ...socketPaths.map((path) => readingPlace(http, path, (incoming) => refusePlainRequest(http, incoming))),
    readingPlace(http, storedFilePath, (incoming, reach) => serveStoredFile(http, incoming, reach)),
  ]
  const respond: Respond = (pattern, serve, req, res) => run(http, pattern, serve, req, res)
  const route = openRouter(places, Object.keys(apps), respond)
  // Created on first use, because Express takes longer to build than the tree and is not needed for startup.
  let rest: Express | undefined
  const openRest = () => {
    const app = openExpress()
    for (const [path, answer] of Object.entries(apps)) mountApp(app, http, path, answer)
    mountPlaces(app, places, respond)
    mountFolders(app, http, folders)
    mountRest(app, http)
    return app
  }
  const realtime = openRealtime(http, farewell)
  return {
    answer(req, res) {
      http.chunks.arrived(req)
      if (route(req, res)) return
      rest ??= openRest()
      rest(req, res)
    },
    upgrade(req, socket, head) {
      http.chunks.release(socket)
      realtime.upgrade(req, socket, head)
    },
    connected: http.chunks.connected,
    close() {
      unwatchRequests()
      realtime.close()
      for (const end of http.streams.open) end()
      http.streams.watch.close()
    },
  }
}

/** Builds a service of a few routes, without realtime, files and pages. */
export function createRouteApp(backend: Backend, routes: readonly Route[], options: AppOptions): ServerHandlers {
  const http = openHttpContext(backend, options)
  const app = openExpress()
  const places = listPlaces(http, routes)
  const respond: Respond = (pattern, serve, req, res) => run(http, pattern, serve, req, res)
  mountPlaces(app, places, respond)
  mountRest(app, http)
  const route = openRouter(places, [], respond)
  return {
    answer(req, res) {
      http.chunks.arrived(req)
      if (!route(req, res)) app(req, res)
    },
    upgrade: (_req, socket) => void socket.destroy(),
    connected: http.chunks.connected,
    close: () => http.streams.watch.close(),
  }
}

/**
 * The length of the queue for the database at which requests wait in their turn instead, because that queue knows no callers. Enough to
 * keep a thread or ten connections at work.
 */
const maxWaitingForDatabase = 32

function openHttpContext(backend: Backend, options: AppOptions): HttpContext {
  const { hosts, followsHost = false, home, control, log, openOrigins, trustedProxies, latency } = options
  const { readerLimits, memoryLimits, connectionLimits } = options
  const memory = openMemoryBudget(memoryLimits)
  const { maxReads } = backend.files
  const places = openConnectionSlots(connectionLimits)
  const streams: Streams = { watch: openIdentityWatch(backend), open: new Set(), places, atWork: openMessagesAtWork() }
  return {
    backend,
    home,
    log,
    limiter: openRateLimiter(backend.limits),
    publicBudget: openPublicBudget(backend.clocks.service.now, backend.limits),
    trustedProxies,
    requireHost: hosts === 'any' ? () => undefined : openHostCheck(hosts),
    requestedOrigin: followsHost && hosts !== 'any' ? requestedOrigin : () => undefined,
    isOpenTo: openOrigins ? openToNames(hosts === 'any' ? [] : hosts) : () => false,
    controlToken: control?.token,
    latency,
    streams,
    memory,
    readers: openReaders(
      { ...(maxReads === undefined ? {} : { maxFiles: maxReads }), ...readerLimits },
      memory.relieve,
    ),
    turns: openTurns(),
    databaseTurns: openTurns({ isBusy: () => (backend.db.connections?.().waiting ?? 0) >= maxWaitingForDatabase }),
    chunks: openChunkTurns(),
  }
}

function openExpress() {
  const app = express()
  for (const setting of ['x-powered-by', 'etag', 'query parser', 'trust proxy']) app.set(setting, false)
  app.set('case sensitive routing', true)
  return app
}
