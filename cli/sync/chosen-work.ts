import { formatPath } from '../../client/protocol/model/path.js'
import type { SyncWork } from './apply.js'
import type { CollectionPlan } from './compare.js'
import type { Pairs } from './pairs.js'

/** The writes that a pull or push makes of a collection's plan, and the row that shows them. */
export interface ChosenWork extends Pick<SyncWork, 'create' | 'update' | 'remove'> {
  readonly plan: CollectionPlan
  readonly row: {
    readonly collection: string
    readonly create: number
    readonly update: number
    readonly delete: number
    readonly leftAlone: number
  }
}

/** @param left number of documents that differ and stay as they are */
export function chosenWork(
  plan: CollectionPlan,
  { create, update, remove }: Pick<SyncWork, 'create' | 'update' | 'remove'>,
  left: number,
): ChosenWork {
  const counts = { create: create.length, update: update.length, delete: remove.length, leftAlone: left }
  return { plan, create, update, remove, row: { collection: plan.name, ...counts } }
}

/** Tells whether a command is about a document of its source. */
export type IsSelected = (collection: string, id: string) => boolean

/** Leaves alone what is not selected. Deletes nothing then: a document that does not match is not a deleted one. */
export function within(chosen: ChosenWork, side: 'local' | 'remote', isSelected: IsSelected | undefined): ChosenWork {
  if (!isSelected) return chosen
  const { plan, row } = chosen
  const create = chosen.create.filter((id) => isSelected(plan.name, id))
  const update = chosen.update.filter((pair) => isSelected(plan.name, pair[side]))
  const left = chosen.create.length - create.length + chosen.update.length - update.length
  return chosenWork(plan, { create, update, remove: [] }, row.leftAlone + left + chosen.remove.length)
}

/** Adds documents that are equal on both sides but link to one of these ids, which the target knows under another id. */
export function withLinks(chosen: readonly ChosenWork[], ids: ReadonlySet<string>): readonly ChosenWork[] {
  return chosen.map((one) => {
    const { plan, row } = one
    const links = plan.same.filter(({ local }) => plan.references.get(local)?.some((id) => ids.has(id)))
    return { ...one, update: [...one.update, ...links], row: { ...row, update: row.update + links.length } }
  })
}

/** Returns the redacted fields as dotted names. */
export function redactedIn({ redacted }: CollectionPlan): readonly string[] {
  return redacted.map(formatPath)
}

/**
 * Opens the pairs of each collection; `create` creates a collection that the target lacks. Saves redacted fields before any
 * document is written, so that no document exists here without its redaction rules.
 */
export async function openWorks(
  chosen: readonly ChosenWork[],
  create: (plan: CollectionPlan) => Promise<Pairs>,
): Promise<SyncWork[]> {
  const works: SyncWork[] = []
  for (const { plan, row: _, ...writes } of chosen) {
    const pairs = plan.pairs ?? (await create(plan))
    pairs.redact(redactedIn(plan))
    pairs.add(
      plan.same.flatMap(({ local, remote, hash, localWhole }) =>
        hash === localWhole ? [] : [{ local, remote, hash: localWhole }],
      ),
    )
    works.push({ name: plan.name, pairs, redacted: plan.redacted, schema: plan.schema, ...writes })
  }
  return works
}
