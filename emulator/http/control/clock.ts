import type { Backend, Clock } from '../../core/context.js'
import { requireProject } from '../../core/projects/projects.js'
import type { ControlHandlers } from './control-routes.js'

type Move = { readonly now: string } | { readonly advance: number }

export const clock: ControlHandlers['clock'] = {
  get: ({ clocks }) => shown(clocks.service),
  change: (backend, { request }) => changed(backend, moved(backend.clocks.service, request)),
  reset(backend) {
    backend.clocks.service.reset()
    return changed(backend, backend.clocks.service)
  },
  ofProject: {
    async get(backend, { params }) {
      await requireProject(backend, params.project)
      return shown(backend.clocks.of(params.project))
    },
    async change(backend, { params, request }) {
      await requireProject(backend, params.project)
      return changed(backend, moved(backend.clocks.openOwn(params.project), request))
    },
    async reset(backend, { params }) {
      await requireProject(backend, params.project)
      backend.clocks.closeOwn(params.project)
      return changed(backend, backend.clocks.service)
    },
  },
}

function moved(clock: Clock, move: Move): Clock {
  if ('now' in move) clock.set(new Date(move.now))
  else clock.advance(move.advance)
  return clock
}

/** Whoever was known may have been logged in for too long by that time. */
function changed({ bus }: Backend, clock: Clock) {
  bus.publish([{ kind: 'identity' }])
  return shown(clock)
}

function shown(clock: Clock) {
  return { now: clock.now().toISOString(), offset: clock.offset() }
}
