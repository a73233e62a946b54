import type { MemoryBudget } from '../core/concurrency/memory-budget.js'
import type { Backend } from '../core/context.js'
import type { ChunkTurns } from './guards/chunk-turns.js'
import type { OriginRules } from './guards/origins.js'
import type { PublicBudget } from './guards/public-budget.js'
import type { RateLimiter } from './guards/rate-limit.js'
import type { Turns } from './guards/turns.js'
import type { Log } from './logging/log.js'
import type { Streams } from './realtime/sse.js'
import type { Readers } from './reply/readers.js'

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
