import { pageSizes } from '../../../client/protocol/model/limits.js'
import { parseDialect } from '../../../client/protocol/wire/dialects.js'
import { findMissingFiles } from '../../core/files/missing-files.js'
import { readInfo, readLimits } from '../../core/info.js'
import { addressesAt } from '../../facts/addresses.js'
import { version } from '../../facts/version.js'
import type { ControlHandlers } from './control-routes.js'

export const info: ControlHandlers['info'] = {
  async get(backend) {
    const { project, ...found } = await readInfo(backend)
    const { id, name, settings } = project
    const { dialect } = settings
    return {
      version,
      project: { id, name },
      addresses: addressesAt(backend.about.listensAt()),
      ...found,
      clock: { now: backend.clocks.service.now().toISOString(), offset: backend.clocks.service.offset() },
      dialect,
      limits: { ...readLimits(settings), page: pageSizes[parseDialect(dialect).paging] },
    }
  },
  async missingFiles(backend) {
    const { count, files } = await findMissingFiles(backend)
    return { count, files: files.map(({ id, project, name, path, size }) => ({ id, project, name, path, size })) }
  },
}
