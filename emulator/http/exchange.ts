import type { IncomingMessage } from 'node:http'
import type { SvcError } from '../../client/protocol/model/errors.js'
import type { Project } from '../../client/protocol/model/project.js'
import type { Dialect } from '../../client/protocol/wire/axes.js'
import type { MemoryBudget, WorkRoom } from '../core/concurrency/memory-budget.js'
import type { Backend, Caller } from '../core/context.js'
import type { StoredAnswer } from '../core/documents/idempotency.js'
import type { Strike } from '../core/faults/faults.js'
import type { Replay } from '../core/requests/request-log.js'
import type { Trace } from '../core/requests/trace.js'
import type { ChunkTurns } from './guards/chunk-turns.js'
import type { OriginRules } from './guards/origins.js'
import type { PublicBudget } from './guards/public-budget.js'
import type { RateLimiter } from './guards/rate-limit.js'
import type { Turns } from './guards/turns.js'
import type { Log } from './logging/log.js'
import type { Stream, Streams } from './realtime/sse.js'
import type { Readers } from './reply/readers.js'
import type { HeldBody } from './request/held-body.js'

/** State shared by all requests of a process. */
export interface HttpContext {
  readonly backend: Backend
  /** The project whose dialect answers use if the request names none. Without one, dialect a. Contract 1. */
  readonly home: string | undefined
  readonly log: Log
  readonly limiter: RateLimiter
  readonly publicBudget: PublicBudget
  /** The number of trusted proxies in front of the service, for finding client addresses. */
  readonly trustedProxies: number
  /** Refuses a request by its `Host` header. */
  readonly requireHost: (host: string | undefined) => void
  /** Returns the origin for addresses in answers, given a host that was let in; undefined for the usual one. */
  readonly requestedOrigin: (host: string | undefined) => string | undefined
  readonly isOpenTo: OriginRules['isOpenTo']
  readonly controlToken: string | undefined
  /** Milliseconds by which to delay the next answer of the project's API. */
  readonly latency: () => number
  readonly streams: Streams
  readonly readers: Readers
  readonly memory: MemoryBudget
  /** Limits how many requests and messages begin at once. */
  readonly turns: Turns
  /** The same for those that send credentials, and so read the database. */
  readonly databaseTurns: Turns
  /** Limits how many chunks of bodies are read at once. */
  readonly chunks: ChunkTurns
}

/** One request in progress, and everything known about it so far. */
export interface Exchange {
  readonly req: IncomingMessage
  /** The client's. Read at the start, because a connection that has ended has none. */
  readonly address: string
  readonly id: string
  /** The named parts of its path. */
  readonly params: Readonly<Record<string, string>>
  /** The dialect of the answer. */
  dialect: Dialect
  /** Whether the dialect is final. Until the project is known, it may still change. */
  isDialectKnown: boolean
  /** The dialect in its address, which takes precedence over its header. */
  requestedDialect: string | undefined
  /** Headers for the answer, whether it succeeds or fails. */
  headers: Readonly<Record<string, string>>
  /** The backend, which measures the request if requests are recorded. */
  backend: Backend
  /** Measures the cost; undefined if requests are not recorded. */
  trace: Trace | undefined
  /** Whether its API key or token turned out to be unknown. */
  isKeyUnknown: boolean
  /** The id of its route. */
  route: string | undefined
  /** The project, once it is known. */
  project: Project | undefined
  caller: Caller | undefined
  /** Whether it has presented the control token. */
  hasControl: boolean
  /** The memory for its body. */
  readonly held: HeldBody
  /** The memory for its work and its answer. */
  readonly room: WorkRoom
  /** The error that it was refused with. */
  error: SvcError | undefined
  /** Faults to inject into its answer. */
  faults: readonly Strike[]
  /** The request that it replays. */
  readonly replay: Replay | undefined
}

/** A complete answer, or one that goes on after its headers. */
export type Outgoing = StoredAnswer | (Pick<StoredAnswer, 'status' | 'headers'> & Stream)

export type Serve = (exchange: Exchange) => Outgoing | Promise<Outgoing>
