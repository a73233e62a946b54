import { maxBatchItems } from '../../client/protocol/model/limits.js'
import { stoppedBy } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { counted } from '../terminal/print.js'
import { shellWord } from '../terminal/shell-word.js'

/**
 * Deletes what a planting that failed has created: half a collection would be taken for a whole one, and left alone, when
 * the file is planted again. Answers how many of them may be there all the same.
 */
export async function takeBack(client: Client, name: string, ids: readonly string[]): Promise<number> {
  for (let at = 0; at < ids.length; at += maxBatchItems) {
    try {
      await client.collection(name).deleteMany(ids.slice(at, at + maxBatchItems))
    } catch {
      // Without an answer, as the planting itself most likely; why that failed is what has to be said.
      return ids.length - at
    }
  }
  return 0
}

/**
 * Why a planting failed, with what of it could not be taken back.
 *
 * @param target the flags that name the service, where it has any
 */
export function leftBehind(cause: unknown, name: string, documents: number, target = ''): unknown {
  if (documents === 0) return cause
  const reached = `${counted(documents, 'document')} of "${name}" could not be deleted again.`
  const nextStep = `Finish the seed with --upsert, or delete them first: svc docs delete ${shellWord(name)} --all${target}`
  return stoppedBy(cause, reached, nextStep)
}
