/** Counts the filters of lists: the fields that an index would speed up, and the indexes in use. */
import { ownField } from '../../client/protocol/model/where.js'
import { type FieldIndex, type FieldUse, indexName, isTimeKind } from '../store/lists/indexes.js'

/** Limits the counted fields, because clients can choose any names. */
export const maxCounted = 1_000

export interface IndexUses {
  /** Usable indexes, by name. */
  ready: ReadonlyMap<string, Pick<FieldIndex, 'collection'>>
  readonly timesAsked: Map<string, number>
  /** Number of lists that each index served since the last save, by name. */
  used: Map<string, number>
}

/** Thresholds for creating an index. */
export interface IndexThresholds {
  /** Minimum number of documents in a collection. */
  readonly fromDocuments: number
  /** Minimum number of lists that used the field. */
  readonly fromTimes: number
  /** From this number of documents on, one list is enough, because it took long. */
  readonly atOnceDocuments: number
}

export function isReady({ ready }: IndexUses, index: FieldIndex): boolean {
  return ready.size > 0 && expandIndex(index).every((part) => ready.has(indexName(part)))
}

/** An index to create, and the number of lists that asked for it. */
export interface Wanted {
  readonly index: FieldIndex
  readonly times: number
}

const ranges = { range: ['asc', 'desc'], 'time range': ['time asc', 'time desc'] } as const

/** Counts a list's filter. Returns the index to create each time it reaches the threshold. */
export function countUse(
  uses: IndexUses,
  collection: string,
  { path, kind, equal = [] }: FieldUse,
  { documents, fromDocuments, fromTimes, atOnceDocuments }: IndexThresholds & { readonly documents: number },
): Wanted | undefined {
  const kinds = kind === 'range' || kind === 'time range' ? ranges[kind] : [kind]
  const candidates = kinds.map((one): FieldIndex => ({ collection, path, kind: one, equal }))
  const serving = candidates.find((index) => isReady(uses, index))
  if (serving)
    for (const name of expandIndex(serving).map(indexName)) uses.used.set(name, (uses.used.get(name) ?? 0) + 1)
  const [index] = candidates
  if (serving || !index || !Number.isFinite(documents) || documents < fromDocuments) return undefined
  const name = indexName(index)
  const times = (uses.timesAsked.get(name) ?? 0) + 1
  if (uses.timesAsked.size >= maxCounted) uses.timesAsked.clear()
  uses.timesAsked.set(name, times)
  return documents >= atOnceDocuments || times % fromTimes === 0 ? { index, times } : undefined
}

/** Adds the index for values that an ordered index cannot contain. Times need none, because they are all alike. */
export function expandIndex(index: FieldIndex): readonly FieldIndex[] {
  const isAlone = index.kind === 'text' || index.kind === 'creator' || isTimeKind(index.kind)
  if (isAlone || (ownField(index.path) && !index.equal?.length)) return [index]
  return [{ ...index, kind: 'odd' }, index]
}
