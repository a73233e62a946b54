import { listLimits } from '../../../client/protocol/model/limits.js'
import type { Project } from '../../../client/protocol/model/project.js'
import { listKeys } from '../../core/projects/keys.js'
import { changeProject, createProject, listProjects } from '../../core/projects/projects.js'
import { removeProject } from '../../core/projects/remove.js'
import { requireProject } from '../../core/projects/require-project.js'
import { resetProject } from '../../core/projects/reset.js'
import type { ControlHandlers } from './control-routes.js'

const limits = listLimits.projects

export const projects: ControlHandlers['projects'] = {
  async create(backend, { request: { name = 'project', settings } }) {
    const { project, apiKey, secretKey } = await createProject(backend, { name, settings })
    return { id: project.id, apiKey, secretKey }
  },
  async list(backend, { request: { after, limit = limits.usual } }) {
    const most = Math.min(limit, limits.most)
    const projects = await listProjects(backend, { after, limit: most + 1 })
    const shown = projects.slice(0, most)
    return { projects: shown, next: projects.length > most ? (shown.at(-1)?.id ?? null) : null }
  },
  async get(backend, { params }) {
    const keys = await listKeys(backend, params.project)
    return { ...shown(await requireProject(backend, params.project)), keys }
  },
  update: async (backend, { params, request }) => shown(await changeProject(backend, params.project, request.settings)),
  reset: (backend, { params, request }) => resetProject(backend, params.project, request),
  async remove(backend, { params }) {
    await removeProject(backend, params.project)
    return { id: params.project }
  },
}

/** Leaves out the client secrets of identity providers. */
function shown({ id, name, settings: { idp, ...settings } }: Project) {
  return { id, name, settings: { ...settings, idp: Object.keys(idp).sort() } }
}
