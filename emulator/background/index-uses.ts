/** What lists ask for, counted: which fields of which collections would be served by an index, and which indexes serve. */
import { ownField } from '../../client/protocol/model/where.js'
import { type FieldIndex, type FieldUse, indexName, isTimeKind } from '../store/lists/indexes.js'

/** Fields that are counted at a time; clients choose their names, so there has to be an end. */
export const mostCounted = 1_000

export interface IndexUses {
  /** The indexes that can be used, by name. */
  ready: ReadonlyMap<string, Pick<FieldIndex, 'collection'>>
  readonly timesAsked: Map<string, number>
  /** How many lists each index has served, by name, since that was written down last. */
  used: Map<string, number>
}

/** From when on an index is wanted. */
export interface IndexThresholds {
  /** From how many documents on a collection gets indexes. */
  readonly fromDocuments: number
  /** How often a field must have been asked for. */
  readonly fromTimes: number
  /** Among so many documents once is enough, since it took long. */
  readonly atOnceDocuments: number
}

export function isReady({ ready }: IndexUses, index: FieldIndex): boolean {
  return ready.size > 0 && partsOf(index).every((part) => ready.has(indexName(part)))
}

/** An index to make, and how often it was asked for. */
export interface Wanted {
  readonly index: FieldIndex
  readonly times: number
}

const ranges = { range: ['asc', 'desc'], 'time range': ['time asc', 'time desc'] } as const

/** Counts what a list could use; answers the index to make, each time it was asked for often enough. */
export function countUse(
  uses: IndexUses,
  collection: string,
  { path, kind, equal = [] }: FieldUse,
  { documents, fromDocuments, fromTimes, atOnceDocuments }: IndexThresholds & { readonly documents: number },
): Wanted | undefined {
  const kinds = kind === 'range' || kind === 'time range' ? ranges[kind] : [kind]
  const candidates = kinds.map((one): FieldIndex => ({ collection, path, kind: one, equal }))
  const serving = candidates.find((index) => isReady(uses, index))
  if (serving) for (const name of partsOf(serving).map(indexName)) uses.used.set(name, (uses.used.get(name) ?? 0) + 1)
  const [index] = candidates
  if (serving || !index || !Number.isFinite(documents) || documents < fromDocuments) return undefined
  const name = indexName(index)
  const times = (uses.timesAsked.get(name) ?? 0) + 1
  if (uses.timesAsked.size >= mostCounted) uses.timesAsked.clear()
  uses.timesAsked.set(name, times)
  return documents >= atOnceDocuments || times % fromTimes === 0 ? { index, times } : undefined
}

/** An index in order comes with one for the values that it cannot hold; times are all alike. */
export function partsOf(index: FieldIndex): readonly FieldIndex[] {
  const isAlone = index.kind === 'text' || index.kind === 'creator' || isTimeKind(index.kind)
  if (isAlone || (ownField(index.path) && !index.equal?.length)) return [index]
  return [{ ...index, kind: 'odd' }, index]
}
