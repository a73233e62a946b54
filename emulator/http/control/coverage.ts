import { listPermissionUses } from '../../core/access/count-permissions.js'
import type { ControlHandlers } from './control-routes.js'

export const coverage: ControlHandlers['coverage'] = {
  permissions: async (backend) => ({ permissions: await listPermissionUses(backend) }),
}
