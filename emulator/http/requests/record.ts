/** Records requests: measures them while they run, and saves them once answered. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Project } from '../../../client/protocol/model/project.js'
import type { Caller } from '../../core/context.js'
import type { Replay } from '../../core/requests/request-log.js'
import type { HttpContext } from '../http-context.js'
import type { Incoming, InDialect } from '../stages.js'
import { type Captured, captureRequest, completeStream } from './capture.js'
import { replayHeader } from './replayable.js'

/** Reads the replay that a request names. */
export function takeReplay({ backend }: HttpContext, { headers }: IncomingMessage): Replay | undefined {
  const secret = headers[replayHeader]
  if (secret === undefined) return undefined
  delete headers[replayHeader]
  return backend.requests.replays.take(String(secret))
}

/** Sets the project of a request. Its settings decide whether the request is recorded. */
export function inProject<Known extends InDialect, Who extends Caller | undefined>(
  { backend: { db, passwords } }: HttpContext,
  known: Known,
  { project, caller }: { readonly project: Project; readonly caller: Who },
): Known & { readonly project: Project; readonly caller: Who } {
  const placed = { ...known, project, caller }
  // A replay waits for its record, so it is always recorded.
  if (!known.trace || project.settings.requestLog || known.replay) return placed
  return { ...placed, trace: undefined, backend: { ...known.backend, db, passwords } }
}

/** Receives the raw body before it is parsed. */
type Received = ((bytes: Buffer) => void) | undefined

/** Returns a function that keeps the body as it is read; undefined if the request is not recorded. */
export function receiving({ trace }: Pick<Incoming, 'trace'>): Received {
  if (!trace) return undefined
  const begunAt = performance.now()
  return (bytes) => {
    trace.receiving += performance.now() - begunAt
    trace.received = bytes
  }
}

/** Saves a request. Saves a stream when it begins, and again when it ends. */
export function record(http: HttpContext, known: Incoming, seen: Captured, res: ServerResponse): void {
  const { trace, req, replay } = known
  if (!trace) return
  const { requests } = http.backend
  const request = captureRequest(known, trace, seen)
  requests.add(request)
  replay?.recorded(request)
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
