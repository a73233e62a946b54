import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Backend, Clock } from '../../core/context.js'
import { requireProject } from '../../core/projects/require-project.js'
import type { ControlHandlers } from './control-routes.js'

type Move = { readonly now: string } | { readonly advance: number }

export const clock: ControlHandlers['clock'] = {
  get: ({ clocks }) => shown(clocks.service),
  change(backend, { request }) {
    const { service } = backend.clocks
    requireYear(service, request)
    return changed(backend, null, moved(service, request))
  },
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
      const { project } = params
      await requireProject(backend, project)
      const { clocks } = backend
      requireYear(clocks.of(project), request)
      return changed(backend, project, moved(clocks.openOwn(project), request))
    },
    async reset(backend, { params }) {
      await requireProject(backend, params.project)
      backend.clocks.closeOwn(params.project)
      return changed(backend, params.project, backend.clocks.service, 'reset')
    },
  },
}

const firstYear = 1970
const lastYear = 9998

/**
 * Limits a clock to the years that ids and PostgreSQL can represent: ids hold milliseconds since 1970, and PostgreSQL reads
 * years of four digits. Leaves a year's margin for things that expire later.
 *
 * @throws {SvcError} `VALIDATION_ERROR`
 */
function requireYear(clock: Clock, move: Move): void {
  const at = 'now' in move ? new Date(move.now) : new Date(clock.now().getTime() + move.advance)
  const year = at.getUTCFullYear()
  if (year >= firstYear && year <= lastYear) return
  throw new SvcError(
    'VALIDATION_ERROR',
    `A clock cannot be set to the year ${year}. Use a year from ${firstYear} to ${lastYear}.`,
  )
}

function moved(clock: Clock, move: Move): Clock {
  if ('now' in move) clock.set(new Date(move.now))
  else clock.advance(move.advance)
  return clock
}

/** Reports the change, because sessions may have expired at the new time. */
function changed({ bus, events }: Backend, projectId: string | null, clock: Clock, how: 'moved' | 'reset' = 'moved') {
  void bus.publish([{ kind: 'identity' }])
  events.add({ kind: `clock.${how}`, projectId, clock: shown(clock) })
  return shown(clock)
}

function shown(clock: Clock) {
  return { now: clock.now().toISOString(), offset: clock.offset() }
}
