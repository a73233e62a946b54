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
