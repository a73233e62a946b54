/** Recording requests as they go: what is counted while they run, and what is kept once they were answered. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Identity } from '../../core/context.js'
import type { Replay } from '../../core/requests/request-log.js'
import { openTrace, tracedBackend } from '../../core/requests/trace.js'
import type { Exchange, HttpContext } from '../exchange.js'
import { type Captured, captured, endedStream } from './capture.js'
import { replayHeader } from './replayable.js'

/** The replay that a request names. */
export function takeReplay({ backend }: HttpContext, { headers }: IncomingMessage): Replay | undefined {
  const secret = headers[replayHeader]
  if (secret === undefined) return undefined
  delete headers[replayHeader]
  return backend.requests.replays.take(String(secret))
}

/** Counts from here on what a request costs. */
export function trace(exchange: Exchange): void {
  exchange.trace = openTrace()
  exchange.backend = tracedBackend(exchange.backend, exchange.trace)
}

/** Says whose request it is; the project's settings decide whether it is recorded. */
export function recognise(
  { backend }: HttpContext,
  exchange: Exchange,
  { project, caller }: Pick<Identity, 'project'> & Partial<Identity>,
): void {
  exchange.project = project
  exchange.caller = caller
  // What replays a request waits for its record.
  if (!exchange.trace || project.settings.requestLog || exchange.replay) return
  exchange.trace = undefined
  exchange.backend = backend
}

/** Receives a body as it came, before anything looks into it. */
type Received = ((bytes: Buffer) => void) | undefined

/** What keeps the body of a request while it is being read; nothing where it is not recorded. */
export function receiving(exchange: Exchange): Received {
  const { trace } = exchange
  if (!trace) return undefined
  const begunAt = performance.now()
  return (bytes) => {
    trace.receiving += performance.now() - begunAt
    exchange.received = bytes
  }
}

/** Keeps a request. A stream is kept when it begins, and again when it ends. */
export function record(http: HttpContext, exchange: Exchange, seen: Captured, res: ServerResponse): void {
  const { trace, req } = exchange
  if (!trace) return
  const { requests } = http.backend
  const request = captured(http, exchange, trace, seen)
  requests.add(request)
  exchange.replay?.recorded(request)
  if (request.state !== 'open') return
  const { socket } = req
  const before = socket.bytesWritten
  const recordedAt = performance.now()
  const end = () => {
    const longer = performance.now() - recordedAt
    requests.change(request.id, (kept) => endedStream(kept, longer, socket.bytesWritten - before))
  }
  // Its client may have disconnected before it began.
  if (socket.closed) end()
  else res.once('close', end)
}
