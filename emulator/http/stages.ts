/** The values that a request becomes on its way. Each holds all that is known by then. */
import type { IncomingMessage } from 'node:http'
import type { SvcError } from '../../client/protocol/model/errors.js'
import type { Project } from '../../client/protocol/model/project.js'
import type { Dialect } from '../../client/protocol/wire/axes.js'
import type { WorkRoom } from '../core/concurrency/memory-budget.js'
import type { Backend, Caller, Context } from '../core/context.js'
import type { Strike } from '../core/faults/faults.js'
import type { Replay } from '../core/requests/request-log.js'
import type { Trace } from '../core/requests/trace.js'
import type { Outgoing } from './reply/reply-form.js'
import type { HeldBody } from './request/held-body.js'
import type { Route } from './route.js'

/**
 * A request that has arrived. Later steps fill in what is undefined. They add no fields, because a copy with a further field
 * takes thirty times as long in V8 as one that replaces fields.
 */
export interface Incoming {
  readonly req: IncomingMessage
  /** The client's. Read at the start, because a connection that has ended has none. */
  readonly address: string
  readonly id: string
  /** The named parts of its path. */
  readonly params: Readonly<Record<string, string>>
  /** The request that it replays. */
  readonly replay: Replay | undefined
  /** The memory for its body. */
  readonly held: HeldBody
  /** The memory for its work and its answer. */
  readonly room: WorkRoom
  /** Measures the cost; undefined if requests are not recorded. */
  readonly trace: Trace | undefined
  /** The backend for this request: measured, with the origin that it reached, and with its faults. */
  readonly backend: Backend
  /** Headers for the answer, whether it succeeds or fails. */
  readonly headers: Readonly<Record<string, string>>
  /** The id of its route. */
  readonly route: string | undefined
  /** The dialect in its address, which takes precedence over its header. */
  readonly requestedDialect: string | undefined
  /** Whether its key or token was looked up and refused. */
  readonly isRefused: boolean
  readonly project: Project | undefined
  readonly caller: Caller | undefined
  /** Whether it has presented the control token. */
  readonly hasControl: boolean
  /** The dialect of the answer. Until the project is known, it may still change. */
  readonly dialect: Dialect | undefined
  /** The faults that it has met. */
  readonly faults: readonly Strike[]
  /** Its route in its dialect. */
  readonly served: Route | undefined
  readonly ctx: Context | undefined
}

/** A request whose answer has a dialect. */
export interface InDialect extends Incoming {
  readonly dialect: Dialect
}

/** A request whose project is known, by its key or otherwise. */
export interface InProject extends InDialect {
  readonly project: Project
}

export interface Identified extends InProject {
  readonly caller: Caller
}

/** A request of an allowed caller, within the limits, for a route of its dialect. */
export interface Admitted extends Identified {
  readonly served: Route
  readonly ctx: Context
}

export interface Answered {
  readonly known: InDialect
  readonly answer: Outgoing
  /** The error that the request was refused with. */
  readonly error?: SvcError
}

/** A request whose client has left. */
export interface Abandoned {
  readonly known: Incoming
  readonly answer?: undefined
  readonly error?: undefined
}

/** Remembers how far a request has come, for the answer if a later step fails. Returns its argument. */
export type Reach = <Known extends Incoming>(known: Known) => Known

export type Serve = (incoming: Incoming, reach: Reach) => Outgoing | Promise<Outgoing>
