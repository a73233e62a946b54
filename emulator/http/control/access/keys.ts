import { createKey, listKeys, revokeKey } from '../../../core/projects/keys.js'
import type { ControlHandlers } from '../control-routes.js'

export const keys: ControlHandlers['keys'] = {
  list: async (backend, { params }) => ({ keys: await listKeys(backend, params.project) }),
  create: (backend, { params, request }) => createKey(backend, params.project, request),
  async revoke(backend, { params }) {
    await revokeKey(backend, params.project, params.key)
    return { id: params.key }
  },
}
