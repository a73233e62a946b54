import { getCreator, transferDocument } from '../../../core/documents/door.js'
import type { ControlHandlers } from '../control-routes.js'

export const creators: ControlHandlers['creators'] = {
  get: (backend, { params }) => getCreator(backend, params),
  set: (backend, { params, request }) => transferDocument(backend, params, request.createdBy),
}
