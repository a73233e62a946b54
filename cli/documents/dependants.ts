/** Finds what else a deletion deletes or changes, so that a command can say it first. Contract 13.3. */
import { openOwner } from '../target/owner.js'
import type { Target } from '../target/target.js'
import { counted } from '../terminal/print.js'

interface Dependants {
  readonly collection: string
  readonly deleted: number
  readonly changed: number
}

/**
 * Returns nothing for other services, or if the deletion will be refused, because the refusal explains why.
 *
 * @param to name of a collection, or `users`
 */
export async function findDependants(
  target: Target,
  to: string,
  ids: readonly string[],
): Promise<readonly Dependants[]> {
  const { emulator } = target
  if (!emulator) return []
  const { dependants } = openOwner(target)
  const answer = dependants.preview({ project: emulator.projectId, to, ids: [...ids] })
  // An emulator of an older version has no such operation.
  return answer.then(({ collections = [] }) => collections).catch(() => [])
}

/** Formats what else a deletion deletes or changes, for example `Also deletes 3 documents in "cards".` */
export function formatDependants(dependants: readonly Dependants[]): string {
  const list = (kind: 'deleted' | 'changed') =>
    dependants.flatMap((one) => (one[kind] > 0 ? [`${counted(one[kind], 'document')} in "${one.collection}"`] : []))
  const [deleted, changed] = [list('deleted'), list('changed')]
  const sentences = [
    ...(deleted.length > 0 ? [`Also deletes ${deleted.join(' and ')}.`] : []),
    ...(changed.length > 0 ? [`Removes the link from ${changed.join(' and ')}.`] : []),
  ]
  return sentences.join(' ')
}
