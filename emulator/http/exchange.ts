import type { IncomingMessage } from 'node:http'
import type { SvcError } from '../../client/protocol/model/errors.js'
import type { Project } from '../../client/protocol/model/project.js'
import type { Dialect } from '../../client/protocol/wire/axes.js'
import type { WorkRoom, WorkRooms } from '../core/concurrency/work-rooms.js'
import type { Backend, Caller } from '../core/context.js'
import type { StoredAnswer } from '../core/documents/idempotency.js'
import type { Strike } from '../core/faults/faults.js'
import type { Replay } from '../core/requests/request-log.js'
import type { Trace } from '../core/requests/trace.js'
import type { ChunkTurns } from './guards/chunk-turns.js'
import type { Held, IncomingBytes } from './guards/incoming-bytes.js'
import type { OriginRules } from './guards/origins.js'
import type { PublicBudget } from './guards/public-budget.js'
import type { RateLimiter } from './guards/rate-limit.js'
import type { Turns } from './guards/turns.js'
import type { Log } from './logging/log.js'
import type { Stream, Streams } from './realtime/sse.js'
import type { Readers } from './reply/readers.js'

/** What all requests of a process share. */
export interface HttpContext {
  readonly backend: Backend
  /** The project whose dialect answers are written in where none is named; without one, dialect a. Contract 1. */
  readonly home: string | undefined
  readonly log: Log
  readonly limiter: RateLimiter
  readonly publicBudget: PublicBudget
  /** Proxies in front of the service that say where clients are. */
  readonly trustedProxies: number
  /** Refuses a request by the name it calls us. */
  readonly requireHost: (host: string | undefined) => void
  /** The address that answers begin their addresses with, by a host that was let in; nothing where it is the usual one. */
  readonly originAsked: (host: string | undefined) => string | undefined
  readonly isOpenTo: OriginRules['isOpenTo']
  readonly controlToken: string | undefined
  /** Milliseconds that the next answer of the project's API comes later. */
  readonly latency: () => number
  readonly streams: Streams
  readonly readers: Readers
  readonly incoming: IncomingBytes
  /** Of requests and messages that begin. */
  readonly turns: Turns
  /** Of the bodies that come in. */
  readonly chunks: ChunkTurns
  readonly workRooms: WorkRooms
}

/** One request on its way, and what is known of it so far. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly id: string
  /** The parts of its path that have a name. */
  readonly params: Readonly<Record<string, string>>
  /** What the answer is written in. */
  dialect: Dialect
  /** Whether that is settled: before, it is not known whose request it is. */
  isDialectKnown: boolean
  /** The dialect that its address asks for, which wins over its header. */
  asked: string | undefined
  /** Headers for the answer, whether it goes well or not. */
  headers: Readonly<Record<string, string>>
  /** The backend, which counts what the request costs where that is recorded. */
  backend: Backend
  /** What it costs; left out where requests are not recorded. */
  trace: Trace | undefined
  /** Whether nobody has the key that it brings. */
  isKeyUnknown: boolean
  /** The id of its route. */
  route: string | undefined
  /** Whose it is, as soon as that is known. */
  project: Project | undefined
  caller: Caller | undefined
  /** Whether it has shown the control token. */
  hasControl: boolean
  /** Its body, where that is a text. */
  received: Buffer | undefined
  /** Whether its body is so large that to work with it takes long. */
  hasLargeBody: boolean
  /** What its body takes until it is answered; nothing of a small one. */
  held: Held | undefined
  /** The memory that its work and its answer take. */
  readonly room: WorkRoom
  /** Why it was refused. */
  error: SvcError | undefined
  /** What may happen to its answer, on purpose. */
  faults: readonly Strike[]
  /** The request that it repeats. */
  readonly replay: Replay | undefined
}

/** An answer that is there, or one that goes on after its headers. */
export type Outgoing = StoredAnswer | (Pick<StoredAnswer, 'status' | 'headers'> & Stream)

export type Serve = (exchange: Exchange) => Outgoing | Promise<Outgoing>
