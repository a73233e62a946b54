import type { Backend } from '../../core/context.js'
import type { ControlHandlers } from './control-routes.js'

export const clock: ControlHandlers['clock'] = {
  get: shown,
  change(backend, { request }) {
    if ('now' in request) backend.clock.set(new Date(request.now))
    else backend.clock.advance(request.advance)
    return shown(backend)
  },
  reset(backend) {
    backend.clock.reset()
    return shown(backend)
  },
}

/** Whoever was known may have been logged in for too long by that time. */
function shown({ clock, bus }: Backend) {
  bus.publish([{ kind: 'identity' }])
  return { now: clock.now().toISOString(), offset: clock.offset() }
}
