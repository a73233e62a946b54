import * as Flags from '@oclif/core/flags'
import { type Listed, limitWords, listLimits, pageSizes } from '../../client/protocol/model/limits.js'

const { small, large } = pageSizes

/** `--limit` of a list of the control API, which has the default. */
export function limitFlag(listed: Listed) {
  return Flags.integer({ min: 1, max: listLimits[listed].most, description: limitWords(listed) })
}

/** `--limit` of a list whose pages are as large as the dialect has them. */
export function pageLimitFlag(noun: string) {
  const bounds = `default ${small.default}, at most ${small.most}; in dialect b ${large.default} and ${large.most}`
  return Flags.integer({ min: 0, description: `maximum number of ${noun} to list (${bounds})` })
}
