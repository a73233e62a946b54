import { closeConnection, listConnections } from '../../core/realtime/list-connections.js'
import type { ControlHandlers } from './control-routes.js'

export const connections: ControlHandlers['connections'] = {
  list: async (backend, { request }) => ({ connections: await listConnections(backend, request.project) }),
  close(backend, { params }) {
    closeConnection(backend, params.connection)
    return { id: params.connection }
  },
}
