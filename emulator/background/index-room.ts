/**
 * Decides which indexes to drop, and which to replace with others. All indexes are on one table: each insert checks
 * every index's condition, and each plan locks them. So their total number is limited. Decision 66.
 */
import type { KeptIndex } from '../store/lists/indexes.js'

export interface IndexLimits {
  readonly maxTotal: number
  readonly maxPerCollection: number
  /** An index unused for this long can be replaced by any other. */
  readonly idleMilliseconds: number
}

/** Indexes to create, and their project and collection. */
export interface Newcomers {
  readonly project: string
  readonly collection: string
  readonly count: number
}

/**
 * An index neither ready nor in progress after this time was interrupted. For ten million documents, building takes
 * minutes or hours.
 */
const interruptedMilliseconds = 120_000
const dayMilliseconds = 86_400_000

/** Whether to drop the index, however many there are. */
export function isObsolete(
  { project, isReady, isBeingMade, madeAt, usedAt }: KeptIndex,
  at: Date,
  unusedDays: number,
): boolean {
  if (isBeingMade) return false
  if (project === null) return true
  if (!isReady) return at.getTime() - Date.parse(madeAt) > interruptedMilliseconds
  return at.getTime() - Date.parse(usedAt) > unusedDays * dayMilliseconds
}

/**
 * Picks the indexes to replace, by name. Candidates are unused indexes of a collection at its limit, unused indexes
 * overall, and indexes of the project that has the most, until the new index's project has as many. Drops the longest
 * unused first. So a project may use all indexes while no other needs any.
 *
 * @returns undefined if too few can be replaced; then the new ones are not created
 */
export function pickReplaced(
  kept: readonly KeptIndex[],
  newcomers: Newcomers,
  at: Date,
  limits: IndexLimits,
): string[] | undefined {
  const inCollection = pickInCollection(newcomers.collection, kept, at, limits)
  const others = kept.filter(({ name }) => !inCollection?.includes(name))
  const inAll = inCollection && pickOverall(others, newcomers, at, limits)
  return inAll && [...inCollection, ...inAll]
}

function pickInCollection(
  collection: string,
  kept: readonly KeptIndex[],
  at: Date,
  { maxPerCollection, idleMilliseconds }: IndexLimits,
): string[] | undefined {
  const own = kept.filter((index) => index.collection === collection)
  const given: string[] = []
  for (const group of groupIndexes(own)) {
    if (own.length - given.length < maxPerCollection || !isIdle(group, at, idleMilliseconds)) break
    given.push(...group.names)
  }
  return own.length - given.length < maxPerCollection ? given : undefined
}

function pickOverall(
  kept: readonly KeptIndex[],
  { project, count }: Newcomers,
  at: Date,
  { maxTotal, idleMilliseconds }: IndexLimits,
): string[] | undefined {
  const groups = groupIndexes(kept)
  const held = new Map<string | null, number>()
  for (const index of kept) held.set(index.project, (held.get(index.project) ?? 0) + 1)
  const wanted = (held.get(project) ?? 0) + count
  const given: string[] = []
  while (kept.length - given.length + count > maxTotal) {
    const largest = Math.max(0, ...held.values())
    const group = groups.find(
      (one) => isIdle(one, at, idleMilliseconds) || (largest > wanted && held.get(one.project) === largest),
    )
    if (!group) return undefined
    groups.splice(groups.indexOf(group), 1)
    given.push(...group.names)
    held.set(group.project, (held.get(group.project) ?? 0) - group.names.length)
  }
  return given
}

/** Picks unused indexes to drop while there are too many. */
export function pickExcess(
  kept: readonly KeptIndex[],
  at: Date,
  { maxTotal, idleMilliseconds }: IndexLimits,
): string[] {
  const given: string[] = []
  for (const group of groupIndexes(kept)) {
    if (kept.length - given.length <= maxTotal || !isIdle(group, at, idleMilliseconds)) break
    given.push(...group.names)
  }
  return given
}

/** Indexes that only serve lists together: one in order, and one for the values that it cannot contain. */
interface Group {
  readonly project: string | null
  readonly names: readonly string[]
  readonly usedAt: number
}

/** Sorts the longest unused first. Leaves out indexes in progress. */
function groupIndexes(kept: readonly KeptIndex[]): Group[] {
  const groups = new Map<string, KeptIndex[]>()
  for (const index of kept) {
    const { collection, path, equal = [], kind } = index
    const isOrder = kind === 'asc' || kind === 'desc' || kind === 'odd'
    const name = JSON.stringify([collection, path, equal, isOrder ? 'order' : kind])
    groups.set(name, [...(groups.get(name) ?? []), index])
  }
  return [...groups.values()]
    .filter((members) => members.every(({ isBeingMade }) => !isBeingMade))
    .map((members) => ({
      project: members[0]?.project ?? null,
      names: members.map(({ name }) => name),
      usedAt: Math.max(...members.map(({ usedAt }) => Date.parse(usedAt))),
    }))
    .sort((one, other) => one.usedAt - other.usedAt)
}

function isIdle({ usedAt }: Group, at: Date, idleMilliseconds: number): boolean {
  return at.getTime() - usedAt > idleMilliseconds
}
