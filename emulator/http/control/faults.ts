import type { Fault } from '../../../client/protocol/model/faults/fault.js'
import type { Backend } from '../../core/context.js'
import { requireProject } from '../../core/projects/require-project.js'
import type { ControlHandlers } from './control-routes.js'

export const faults: ControlHandlers['faults'] = {
  list: ({ faults }, { request }) => ({ faults: [...faults.list(request.project)] }),
  async add(backend, { request }) {
    if (request.project !== undefined) await requireProject(backend, request.project)
    const added = backend.faults.add(request)
    say(backend, 'added', [added])
    return added
  },
  async addPreset(backend, { request: { preset, ...which } }) {
    if (which.project !== undefined) await requireProject(backend, which.project)
    const added = backend.faults.addPreset(preset, which)
    say(backend, 'added', added)
    return { faults: added }
  },
  remove(backend, { params }) {
    const removed = backend.faults.list().filter(({ id }) => id === params.fault)
    backend.faults.remove(params.fault)
    say(backend, 'removed', removed)
    return { id: params.fault }
  },
  clear(backend, { request }) {
    const removed = backend.faults.list(request.project)
    const count = backend.faults.clear(request.project)
    say(backend, 'removed', removed)
    return { count }
  },
}

/** Reports fault injection as an event, so that developers don't mistake its effects for real failures. */
function say({ events }: Backend, how: 'added' | 'removed', faults: readonly Fault[]): void {
  for (const { id, kind, method = null, path = null, project = null } of faults) {
    events.add({ kind: `fault.${how}`, projectId: project, fault: { id, kind, method, path } })
  }
}
