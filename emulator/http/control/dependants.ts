import { previewDeletion } from '../../core/documents/door.js'
import type { ControlHandlers } from './control-routes.js'

export const dependants: ControlHandlers['dependants'] = {
  async preview(backend, { params, request }) {
    return { collections: await previewDeletion(backend, params.project, request) }
  },
}
