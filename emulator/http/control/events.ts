import { type FollowRequest, followEvents } from '../realtime/event-stream.js'
import type { ControlHandlers } from './control-routes.js'

export const events: ControlHandlers['events'] = {
  stream: (backend, { request, streams }) => followEvents(backend, toFollowRequest(request), streams),
}

function toFollowRequest({
  project,
  kinds,
  since,
  last,
}: {
  project?: string
  kinds?: string
  since?: string
  last?: number
}): FollowRequest {
  return { project, kinds: kinds?.split(','), since, last: last ?? 0 }
}
