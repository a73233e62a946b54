import { maxBatchItems } from '../../client/protocol/model/limits.js'
import { stoppedBy } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { counted } from '../terminal/print.js'
import { shellWord } from '../terminal/shell-word.js'

/**
 * Deletes what a failed run created, because a later run would take the partial collection for complete. Returns how
 * many documents may remain.
 */
export async function takeBack(client: Client, name: string, ids: readonly string[]): Promise<number> {
  for (let at = 0; at < ids.length; at += maxBatchItems) {
    try {
      await client.collection(name).deleteMany(ids.slice(at, at + maxBatchItems))
    } catch {
      // Probably fails for the same reason as the seed itself, which is the error to report.
      return ids.length - at
    }
  }
  return 0
}

/**
 * Adds to the error what could not be deleted.
 *
 * @param target flags that select the service, if any
 */
export function leftBehind(cause: unknown, name: string, documents: number, target = ''): unknown {
  if (documents === 0) return cause
  const reached = `${counted(documents, 'document')} of "${name}" could not be removed.`
  const nextStep = `Finish the seed with --upsert, or delete them first: svc docs delete ${shellWord(name)} --all${target}`
  return stoppedBy(cause, reached, nextStep)
}
