import { formatPath } from '../../client/protocol/model/path.js'
import type { SyncWork } from './apply.js'
import type { CollectionPlan } from './compare.js'
import type { Pairs } from './pairs.js'

/** What of the plan of a collection a pull or a push writes, and the row that shows it. */
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

/** @param left how many documents differ, and stay as they are */
export function chosenWork(
  plan: CollectionPlan,
  { create, update, remove }: Pick<SyncWork, 'create' | 'update' | 'remove'>,
  left: number,
): ChosenWork {
  const counts = { create: create.length, update: update.length, delete: remove.length, leftAlone: left }
  return { plan, create, update, remove, row: { collection: plan.name, ...counts } }
}

/**
 * With documents that are the same on both sides in all but ids, and refer to one of these: that one has another id on the side
 * that is written, now or once the others were created.
 */
export function withLinks(chosen: readonly ChosenWork[], ids: ReadonlySet<string>): readonly ChosenWork[] {
  return chosen.map((one) => {
    const { plan, row } = one
    const links = plan.same.filter(({ local }) => plan.references.get(local)?.some((id) => ids.has(id)))
    return { ...one, update: [...one.update, ...links], row: { ...row, update: row.update + links.length } }
  })
}

/** Dotted names. */
export function redactedIn({ redacted }: CollectionPlan): readonly string[] {
  return redacted.map(formatPath)
}

/**
 * The writes, with the pairs of each collection; `create` makes one that the target does not have. What is the same is noted, and
 * what is redacted, before anything is written: no document may be here whose rules are not known.
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
