/** The service as one request listener. Express gets few settings, so that it does little. */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import express, { type Express } from 'express'
import { openWorkRooms, type WorkLimits } from '../core/concurrency/work-rooms.js'
import type { Backend } from '../core/context.js'
import type { StaticMount } from '../pages/mounts.js'
import { version } from '../version.js'
import type { HttpContext } from './exchange.js'
import { originAsked } from './guards/asked-host.js'
import { openChunkTurns } from './guards/chunk-turns.js'
import { openIdentityWatch } from './guards/identity-watch.js'
import { type IncomingLimits, openIncomingBytes } from './guards/incoming-bytes.js'
import { openHostCheck, openToNames } from './guards/origins.js'
import { openPublicBudget } from './guards/public-budget.js'
import { openRateLimiter } from './guards/rate-limit.js'
import { openTurns } from './guards/turns.js'
import type { Log } from './logging/log.js'
import { mountApp, mountPlaces, mountRest, type Respond } from './mount.js'
import { placesOf, readingPlace, refusePlainRequest } from './places.js'
import { type ConnectionLimits, openConnectionPlaces } from './realtime/connection-places.js'
import { openMessagesAtWork } from './realtime/messages-at-work.js'
import type { Streams } from './realtime/sse.js'
import { type Farewell, openRealtime, socketPath } from './realtime/websocket.js'
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
  /** Names, beside this machine's own, that a request may give as its host; or any. */
  readonly hosts: readonly string[] | 'any'
  /** Whether addresses of files and logins begin with the host that a request names. Only those in `hosts` get that far. */
  readonly followsHost?: boolean
  /** The project that the service was started for, if it was for one. */
  readonly home: string | undefined
  /** The control API, and the token that opens it; without it there is none. */
  readonly control?: { readonly token: string; readonly routes: readonly Route[] }
  readonly log: Log
  /** Apps of their own, by the path they are below. They answer under the names that the service answers to. */
  readonly apps?: { readonly [path: string]: RequestListener }
  /** Folders of files. What routes and apps serve below the same paths comes first. */
  readonly folders?: readonly StaticMount[]
  /** Whether pages of any server on this machine may call. On a developer's machine they may. */
  readonly openOrigins: boolean
  /** Proxies in front of the service that say where clients are. */
  readonly trustedProxies: number
  /** Milliseconds that the next answer of the project's API comes later. */
  readonly latency: () => number
  /** How slowly answers may be read; what is left out is as usual. */
  readonly readerLimits?: Partial<ReaderLimits>
  /** How much may be on its way in; what is left out is as usual. */
  readonly incomingLimits?: Partial<IncomingLimits>
  /** How much memory requests at work may take; what is left out is as usual. */
  readonly workLimits?: Partial<WorkLimits>
  /** How many connections for realtime events there may be; what is left out is as usual. */
  readonly connectionLimits?: Partial<ConnectionLimits>
  /** What WebSockets are told when the service stops; left out, that it goes away. */
  readonly farewell?: Farewell
}

/** What a server needs to answer. */
export interface ServerHandlers {
  readonly answer: RequestListener
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void
  /** A client has connected. */
  connected?(socket: Socket): void
  /** Ends the streams, which would go on for ever. */
  close(): void
}

export function createApp(backend: Backend, options: AppOptions): ServerHandlers {
  const { control: { routes: control } = { routes: [] }, apps = {}, folders = [], farewell } = options
  const unwatchRequests = watchRequests(backend)
  const http = openHttpContext(backend, options)
  const places = [
    ...placesOf(http, [...routes, ...control, ...aboutRoutes(routes, control, version)]),
    readingPlace(http, socketPath, (exchange) => refusePlainRequest(http, exchange)),
    readingPlace(http, storedFilePath, (exchange) => serveStoredFile(http, exchange)),
  ]
  const respond: Respond = (pattern, serve, req, res) => run(http, pattern, serve, req, res)
  const route = openRouter(places, Object.keys(apps), respond)
  // Express takes longer to put together than the tree of paths, and is not needed to be ready.
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
      if (route(req, res)) return
      rest ??= openRest()
      rest(req, res)
    },
    upgrade: realtime.upgrade,
    connected: http.chunks.connected,
    close() {
      unwatchRequests()
      realtime.close()
      for (const end of http.streams.open) end()
      http.streams.watch.close()
    },
  }
}

/** Few routes alone: no realtime, no files, no pages. */
export function createRouteApp(backend: Backend, routes: readonly Route[], options: AppOptions): ServerHandlers {
  const http = openHttpContext(backend, options)
  const app = openExpress()
  const places = placesOf(http, routes)
  const respond: Respond = (pattern, serve, req, res) => run(http, pattern, serve, req, res)
  mountPlaces(app, places, respond)
  mountRest(app, http)
  const route = openRouter(places, [], respond)
  return {
    answer: (req, res) => void (route(req, res) || app(req, res)),
    upgrade: (_req, socket) => void socket.destroy(),
    connected: http.chunks.connected,
    close: () => http.streams.watch.close(),
  }
}

function openHttpContext(backend: Backend, options: AppOptions): HttpContext {
  const { hosts, followsHost = false, home, control, log, openOrigins, trustedProxies, latency } = options
  const { readerLimits, incomingLimits, workLimits, connectionLimits } = options
  const { maxReads } = backend.files
  const places = openConnectionPlaces(connectionLimits)
  const streams: Streams = { watch: openIdentityWatch(backend), open: new Set(), places, atWork: openMessagesAtWork() }
  return {
    backend,
    home,
    log,
    limiter: openRateLimiter(backend.limits),
    publicBudget: openPublicBudget(backend.clocks.service.now, backend.limits),
    trustedProxies,
    requireHost: hosts === 'any' ? () => undefined : openHostCheck(hosts),
    originAsked: followsHost && hosts !== 'any' ? originAsked : () => undefined,
    isOpenTo: openOrigins ? openToNames(hosts === 'any' ? [] : hosts) : () => false,
    controlToken: control?.token,
    latency,
    streams,
    readers: openReaders({ ...(maxReads === undefined ? {} : { mostFiles: maxReads }), ...readerLimits }),
    incoming: openIncomingBytes(incomingLimits),
    turns: openTurns(),
    chunks: openChunkTurns(),
    workRooms: openWorkRooms(workLimits),
  }
}

function openExpress() {
  const app = express()
  for (const setting of ['x-powered-by', 'etag', 'query parser', 'trust proxy']) app.set(setting, false)
  app.set('case sensitive routing', true)
  return app
}
