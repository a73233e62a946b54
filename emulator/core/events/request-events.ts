/** Requests that were refused or failed, as events. */
import type { KeptRequest, RequestLog } from '../requests/request-log.js'
import type { EventLog, Happened } from './event-log.js'

export function watchRequests(requests: Pick<RequestLog, 'watch'>, events: Pick<EventLog, 'add'>): () => void {
  return requests.watch((request) => {
    const event = eventOf(request)
    if (event) events.add(event)
  })
}

/** Nothing of what went well. */
function eventOf(request: KeptRequest): Happened | undefined {
  const { id, state, method, url, status, error, project: projectId, timing } = request
  if (state === 'open' || (status !== null && status < 400)) return undefined
  return {
    kind: status === null || status >= 500 ? 'request.failed' : 'request.refused',
    projectId,
    request: {
      ...{ id, method, path: url, status, milliseconds: Math.round(timing.total * 10) / 10 },
      ...{ code: error?.code ?? null, message: error?.message ?? null },
    },
  }
}
