/** Finds what else a deletion deletes or changes, so that a command can say it first. Contract 13.3. */
import { SvcError } from '../../client/protocol/model/errors.js'
import { sizes } from '../../client/protocol/model/limits.js'
import { openOwner } from '../target/owner.js'
import type { Target } from '../target/target.js'
import { counted } from '../terminal/print.js'

/** Documents of one collection that link to the deleted records. */
export interface Dependants {
  readonly collection: string
  readonly deleted: number
  readonly changed: number
  /** Documents whose links will lead nowhere. */
  readonly left: number
}

/** Records to delete, of a collection (by its name) or `users`. Without ids, the collection itself. */
interface Deletion {
  readonly to: string
  readonly ids?: AsyncIterable<string> | Iterable<string>
}

/**
 * Returns nothing for other services, or if the deletion will be refused, because the refusal explains why.
 */
export async function findDependants(target: Target, deletion: Deletion): Promise<readonly Dependants[]> {
  return (await planDeletion(target, deletion).catch(emptyIfRefused)) ?? []
}

/** An emulator of an older version has no such operation, and another program at its address answers anything. */
function emptyIfRefused(error: unknown): readonly Dependants[] {
  if (error instanceof SvcError) return []
  throw error
}

/**
 * Asks the emulator of this folder for everything that a deletion takes along. Undefined for other services, which cannot
 * be asked.
 *
 * @throws {SvcError} `DOCUMENT_IN_USE` or `RESULT_TOO_LARGE` if the deletion would be refused, `INVALID_RESPONSE` if something
 * else answers
 */
export async function planDeletion(target: Target, { to, ids }: Deletion): Promise<readonly Dependants[] | undefined> {
  const { emulator } = target
  if (!emulator) return undefined
  const { dependants } = openOwner(target)
  const preview = async (some?: string[]) => {
    const { collections } = await dependants.preview({ project: emulator.projectId, to, ...(some && { ids: some }) })
    if (Array.isArray(collections)) return collections
    // By now, another program may have the address of the emulator.
    throw new SvcError('INVALID_RESPONSE', `${target.url} answered without the linked documents.`)
  }
  if (!ids) return (await preview()).map(withLeft)
  const all = new Map<string, Dependants>()
  for await (const some of inBatches(ids)) {
    for (const { collection, ...found } of (await preview(some)).map(withLeft)) {
      const { deleted = 0, changed = 0, left = 0 } = all.get(collection) ?? {}
      const sum = { deleted: deleted + found.deleted, changed: changed + found.changed, left: left + found.left }
      all.set(collection, { collection, ...sum })
    }
  }
  return [...all.values()]
}

function withLeft({ left = 0, ...counts }: Omit<Dependants, 'left'> & { left?: number | undefined }): Dependants {
  return { ...counts, left }
}

/** Yields as many ids at once as a deletion sends. */
async function* inBatches(ids: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const id of ids) {
    batch.push(id)
    if (batch.length < sizes.maxBatchItems) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Formats what else a deletion deletes or changes, for example `Also deletes 3 documents in "cards".` */
export function formatDependants(dependants: readonly Dependants[]): string {
  const list = (kind: 'deleted' | 'changed' | 'left') =>
    dependants
      .flatMap((one) => (one[kind] > 0 ? [`${counted(one[kind], 'document')} in "${one.collection}"`] : []))
      .join(' and ')
  const [deleted, changed, left] = [list('deleted'), list('changed'), list('left')]
  const sentences = [
    ...(deleted ? [`Also deletes ${deleted}.`] : []),
    ...(changed ? [`Removes the link from ${changed}.`] : []),
    ...(left ? [`Leaves links that lead nowhere in ${left}.`] : []),
  ]
  return sentences.join(' ')
}

/** Formats the plan of a dry run, one line each. */
export function formatPlan(what: string, dependants: readonly Dependants[] | undefined): string[] {
  const others = dependants
    ? formatDependants(dependants)
    : 'This service does not tell which other documents link to them.'
  return [`Would delete ${what}.`, ...(others ? [others] : [])]
}
