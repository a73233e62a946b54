/** Whether a service has what it acknowledged. */
import { CliFailure, exits } from '../base/failure.js'
import type { Client } from '../base/target-command.js'

type Collection = ReturnType<Client['collection']>

/** One page of a list. */
const idsAtOnce = 99

/** Which of these documents are there. Reads ids only where the total of a page leaves them open. */
export async function idsThere(collection: Collection, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const there = new Set<string>()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = ids.slice(at, at + idsAtOnce)
    const where = { id: { in: some } }
    const { total } = await collection.list({ where, limit: 1 })
    if (total === 0) continue
    if (total === some.length) for (const id of some) there.add(id)
    else for await (const { id } of collection.iterate({ where })) there.add(id)
  }
  return there
}

/** A difference between what a service acknowledged and what it has: exit 1. */
export function notSaved(message: string): CliFailure {
  return new CliFailure(
    'NOT_SAVED',
    exits.failed,
    message,
    'Does another program write there? Look at what is there before you repeat the command.',
  )
}
