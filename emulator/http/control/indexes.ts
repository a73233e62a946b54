import { formatPath } from '../../../client/protocol/model/path.js'
import { listIndexes } from '../../core/collections/indexes.js'
import type { ControlHandlers } from './control-routes.js'

export const indexes: ControlHandlers['indexes'] = {
  async list(backend, { params, request }) {
    const kept = await listIndexes(backend, params.project, request.collection)
    return {
      indexes: kept.map(({ collection, equal, path, ...rest }) => ({
        collection,
        equal: equal.map(formatPath),
        field: formatPath(path),
        ...rest,
      })),
    }
  },
}
