/** What lists ask for, counted: which fields of which collections would be served by an index, and which indexes serve. */
import { ownField } from '../../client/protocol/model/where.js'
import { type FieldIndex, type FieldUse, type KeptIndex, nameOf } from '../store/lists/indexes.js'

/** Fields that are counted at a time; clients choose their names, so there has to be an end. */
export const mostCounted = 1_000

export interface IndexUses {
  /** The indexes that can be used, by name. */
  ready: ReadonlyMap<string, KeptIndex>
  readonly timesAsked: Map<string, number>
  /** Names of indexes that have served a list since that was written down last. */
  readonly used: Set<string>
}

/** From when on an index is wanted. */
export interface IndexThresholds {
  /** From how many documents on a collection gets indexes. */
  readonly fromDocuments: number
  /** How often a field must have been asked for. */
  readonly fromTimes: number
}

export function isReady({ ready }: IndexUses, index: FieldIndex): boolean {
  return ready.size > 0 && partsOf(index).every((part) => ready.has(nameOf(part)))
}

/** Counts what a list could use; answers the index to make, each time it was asked for often enough. */
export function countUse(
  uses: IndexUses,
  collection: string,
  { path, kind }: FieldUse,
  { documents, fromDocuments, fromTimes }: IndexThresholds & { readonly documents: number },
): FieldIndex | undefined {
  const kinds = kind === 'range' ? (['asc', 'desc'] as const) : [kind]
  const candidates = kinds.map((one): FieldIndex => ({ collection, path, kind: one }))
  const serving = candidates.find((index) => isReady(uses, index))
  if (serving) for (const part of partsOf(serving)) uses.used.add(nameOf(part))
  const [wanted] = candidates
  if (serving || !wanted || !Number.isFinite(documents) || documents < fromDocuments) return undefined
  const name = nameOf(wanted)
  const times = (uses.timesAsked.get(name) ?? 0) + 1
  if (uses.timesAsked.size >= mostCounted) uses.timesAsked.clear()
  uses.timesAsked.set(name, times)
  return times % fromTimes === 0 ? wanted : undefined
}

/** An index in order comes with one for the values that it cannot hold; times are all alike. */
export function partsOf(index: FieldIndex): readonly FieldIndex[] {
  if (index.kind === 'text' || ownField(index.path)) return [index]
  return [{ ...index, kind: 'odd' }, index]
}
