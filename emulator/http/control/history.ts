import { listLimits } from '../../../client/protocol/model/limits.js'
import { compareVersions, documentHistory } from '../../core/documents/door.js'
import type { ControlHandlers } from './control-routes.js'

const limits = listLimits.versions

export const history: ControlHandlers['history'] = {
  get: (backend, { params, request: { before, limit } }) =>
    documentHistory(backend, params, { before, most: Math.min(limit || limits.usual, limits.most) }),
  async compare(backend, { params, request: { from, to } }) {
    const compared = await compareVersions(backend, params, { from, to })
    return { ...compared, differences: compared.differences.map((each) => ({ ...each, path: [...each.path] })) }
  },
}
