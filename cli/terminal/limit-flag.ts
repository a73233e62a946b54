import * as Flags from '@oclif/core/flags'
import { type Listed, limitWords, listLimits, pageSizes } from '../../client/protocol/model/limits.js'

const { small, large } = pageSizes

/** `--limit` for lists of the control API, which applies the default. */
export function limitFlag(listed: Listed) {
  return Flags.integer({ min: 1, max: listLimits[listed].most, description: limitWords(listed) })
}

/** `--limit` for lists whose page size depends on the dialect. */
export function pageLimitFlag(noun: string) {
  const bounds = `default ${small.default}, at most ${small.most}; in dialect b ${large.default} and ${large.most}`
  return Flags.integer({ min: 0, description: `maximum number of ${noun} to list (${bounds})` })
}
