import { creatorOf, transferDocument } from '../../../core/documents/transfer.js'
import type { ControlHandlers } from '../control-routes.js'

export const creators: ControlHandlers['creators'] = {
  get: (backend, { params }) => creatorOf(backend, params),
  set: (backend, { params, request }) => transferDocument(backend, params, request.createdBy),
}
