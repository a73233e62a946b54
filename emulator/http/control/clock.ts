import type { Backend, Clock } from '../../core/context.js'
import { requireProject } from '../../core/projects/require-project.js'
import type { ControlHandlers } from './control-routes.js'

type Move = { readonly now: string } | { readonly advance: number }

export const clock: ControlHandlers['clock'] = {
  get: ({ clocks }) => shown(clocks.service),
  change: (backend, { request }) => changed(backend, null, moved(backend.clocks.service, request)),
  reset(backend) {
    backend.clocks.service.reset()
    return changed(backend, null, backend.clocks.service, 'reset')
  },
  ofProject: {
    async get(backend, { params }) {
      await requireProject(backend, params.project)
      return shown(backend.clocks.of(params.project))
    },
    async change(backend, { params, request }) {
      await requireProject(backend, params.project)
      return changed(backend, params.project, moved(backend.clocks.openOwn(params.project), request))
    },
    async reset(backend, { params }) {
      await requireProject(backend, params.project)
      backend.clocks.closeOwn(params.project)
      return changed(backend, params.project, backend.clocks.service, 'reset')
    },
  },
}

function moved(clock: Clock, move: Move): Clock {
  if ('now' in move) clock.set(new Date(move.now))
  else clock.advance(move.advance)
  return clock
}

/** Sessions may have expired by that time. */
function changed({ bus, events }: Backend, projectId: string | null, clock: Clock, how: 'moved' | 'reset' = 'moved') {
  void bus.publish([{ kind: 'identity' }])
  events.add({ kind: `clock.${how}`, projectId, clock: shown(clock) })
  return shown(clock)
}

function shown(clock: Clock) {
  return { now: clock.now().toISOString(), offset: clock.offset() }
}
