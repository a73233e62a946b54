import { listLimits } from '../../../../client/protocol/model/limits.js'
import { listAudit } from '../../../core/audit/audit-log.js'
import type { ControlHandlers } from '../control-routes.js'

const limits = listLimits.entries

export const audit: ControlHandlers['audit'] = {
  async list(backend, { params, request: { operation, before, limit } }) {
    const most = Math.min(limit || limits.usual, limits.most)
    const found = await listAudit(backend, params.project, { operation, before, limit: most + 1 })
    const entries = found.slice(0, most)
    return { entries, next: found.length > most ? (entries.at(-1)?.id ?? null) : null }
  },
}
