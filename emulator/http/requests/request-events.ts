/** Reports requests as events: refused and failed ones always, others while a stream asks for them. */

import type { Backend } from '../../core/context.js'
import type { Happened } from '../../core/events/event-log.js'
import type { KeptRequest } from '../../core/requests/request-log.js'
import { maskedAddress, maskedText } from './masking.js'

/** Reports until the returned function is called. Requests that are not recorded have no events. */
export function watchRequests({ requests, events }: Pick<Backend, 'requests' | 'events'>): () => void {
  return requests.watch((request) => {
    const event = toEvent(request)
    if (event && (event.kind !== 'request.answered' || events.wantsAnswered())) events.add(event)
  })
}

/**
 * Skips requests whose client left, for example when a page was closed. Masks secrets in the address and the message, as in
 * lists of requests.
 */
function toEvent(request: KeptRequest): Happened | undefined {
  const { id, state, method, url, status, error, project: projectId, timing, hasCallerLeft } = request
  if (state === 'open' || hasCallerLeft) return undefined
  return {
    kind: readKind(status),
    projectId,
    request: {
      ...{ id, method, path: maskedAddress(url), status, milliseconds: Math.round(timing.total * 10) / 10 },
      ...{ code: error?.code ?? null, message: error ? maskedText(error.message) : null },
    },
  }
}

function readKind(status: number | null) {
  if (status === null || status >= 500) return 'request.failed'
  return status >= 400 ? 'request.refused' : 'request.answered'
}
