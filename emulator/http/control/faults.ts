import { requireProject } from '../../core/projects/projects.js'
import type { ControlHandlers } from './control-routes.js'

export const faults: ControlHandlers['faults'] = {
  list: ({ faults }, { request }) => ({ faults: [...faults.list(request.project)] }),
  async add(backend, { request }) {
    if (request.project !== undefined) await requireProject(backend, request.project)
    return backend.faults.add(request)
  },
  async addPreset(backend, { request: { preset, ...which } }) {
    if (which.project !== undefined) await requireProject(backend, which.project)
    return { faults: backend.faults.addPreset(preset, which) }
  },
  remove(backend, { params }) {
    backend.faults.remove(params.fault)
    return { id: params.fault }
  },
  clear: (backend, { request }) => ({ count: backend.faults.clear(request.project) }),
}
