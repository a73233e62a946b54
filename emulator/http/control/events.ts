import { type Followed, followEvents } from '../realtime/event-stream.js'
import type { ControlHandlers } from './control-routes.js'

export const events: ControlHandlers['events'] = {
  stream: (backend, { request, streams }) => followEvents(backend, wishOf(request), streams),
}

function wishOf({
  project,
  kinds,
  since,
  last,
}: {
  project?: string
  kinds?: string
  since?: string
  last?: number
}): Followed {
  return { project, kinds: kinds?.split(','), since, last: last ?? 0 }
}
