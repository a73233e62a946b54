/** Records requests: measures them while they run, and saves them once answered. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Identity } from '../../core/context.js'
import type { Replay } from '../../core/requests/request-log.js'
import { openTrace, tracedBackend } from '../../core/requests/trace.js'
import type { Exchange, HttpContext } from '../exchange.js'
import { type Captured, captureRequest, completeStream } from './capture.js'
import { replayHeader } from './replayable.js'

/** Reads the replay that a request names. */
export function takeReplay({ backend }: HttpContext, { headers }: IncomingMessage): Replay | undefined {
  const secret = headers[replayHeader]
  if (secret === undefined) return undefined
  delete headers[replayHeader]
  return backend.requests.replays.take(String(secret))
}

/** Starts measuring the cost of a request. */
export function trace(exchange: Exchange): void {
  exchange.trace = openTrace()
  exchange.backend = tracedBackend(exchange.backend, exchange.trace)
}

/** Sets the project of a request. Its settings decide whether the request is recorded. */
export function assignProject(
  { backend }: HttpContext,
  exchange: Exchange,
  { project, caller }: Pick<Identity, 'project'> & Partial<Identity>,
): void {
  exchange.project = project
  exchange.caller = caller
  // A replay waits for its record, so it is always recorded.
  if (!exchange.trace || project.settings.requestLog || exchange.replay) return
  exchange.trace = undefined
  exchange.backend = backend
}

/** Receives the raw body before it is parsed. */
type Received = ((bytes: Buffer) => void) | undefined

/** Returns a function that keeps the body as it is read; undefined if the request is not recorded. */
export function receiving({ trace }: Pick<Exchange, 'trace'>): Received {
  if (!trace) return undefined
  const begunAt = performance.now()
  return (bytes) => {
    trace.receiving += performance.now() - begunAt
    trace.received = bytes
  }
}

/** Saves a request. Saves a stream when it begins, and again when it ends. */
export function record(http: HttpContext, exchange: Exchange, seen: Captured, res: ServerResponse): void {
  const { trace, req } = exchange
  if (!trace) return
  const { requests } = http.backend
  const request = captureRequest(exchange, trace, seen)
  requests.add(request)
  exchange.replay?.recorded(request)
  if (request.state !== 'open') return
  const { socket } = req
  const before = socket.bytesWritten
  const recordedAt = performance.now()
  const end = () => {
    const longer = performance.now() - recordedAt
    requests.change(request.id, (kept) => completeStream(kept, longer, socket.bytesWritten - before))
  }
  // The client may have disconnected before the stream began.
  if (socket.closed) end()
  else res.once('close', end)
}
