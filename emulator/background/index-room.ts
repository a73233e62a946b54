/**
 * Which indexes go, and which give way to others. All lie on one table, whatever their collection: each insert into it looks at the
 * condition of each, and each plan locks them. So there is an end to all of them together. Decision 66.
 */
import type { KeptIndex } from '../store/lists/indexes.js'

export interface IndexLimits {
  readonly mostInAll: number
  readonly mostPerCollection: number
  /** One that no list has used for so long gives way to any other. */
  readonly idleMilliseconds: number
}

/** Indexes that are to be made, and whose. */
export interface Newcomers {
  readonly project: string
  readonly collection: string
  readonly count: number
}

/** What is neither ready nor being made by then was interrupted. Of ten million documents, making one takes minutes, or hours. */
const interruptedMilliseconds = 120_000
const dayMilliseconds = 86_400_000

/** Whether it goes, however many there are. */
export function isUnwanted(
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
 * What gives way to others, by name: what no list uses, in a collection that has as many as it may and in all, and indexes of the
 * project that has most, until the newcomer's has as many. What was used longest ago goes first. So a project may have all that there are
 * while no other needs any.
 *
 * @returns undefined where too little gives way, and the others are not made
 */
export function givingWay(
  kept: readonly KeptIndex[],
  newcomers: Newcomers,
  at: Date,
  limits: IndexLimits,
): string[] | undefined {
  const inCollection = givingWayIn(newcomers.collection, kept, at, limits)
  const others = kept.filter(({ name }) => !inCollection?.includes(name))
  const inAll = inCollection && givingWayInAll(others, newcomers, at, limits)
  return inAll && [...inCollection, ...inAll]
}

function givingWayIn(
  collection: string,
  kept: readonly KeptIndex[],
  at: Date,
  { mostPerCollection, idleMilliseconds }: IndexLimits,
): string[] | undefined {
  const own = kept.filter((index) => index.collection === collection)
  const given: string[] = []
  for (const group of groupsOf(own)) {
    if (own.length - given.length < mostPerCollection || !isIdle(group, at, idleMilliseconds)) break
    given.push(...group.names)
  }
  return own.length - given.length < mostPerCollection ? given : undefined
}

function givingWayInAll(
  kept: readonly KeptIndex[],
  { project, count }: Newcomers,
  at: Date,
  { mostInAll, idleMilliseconds }: IndexLimits,
): string[] | undefined {
  const groups = groupsOf(kept)
  const held = new Map<string | null, number>()
  for (const index of kept) held.set(index.project, (held.get(index.project) ?? 0) + 1)
  const wanted = (held.get(project) ?? 0) + count
  const given: string[] = []
  while (kept.length - given.length + count > mostInAll) {
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

/** What no list uses of those that are too many. */
export function tooMany(kept: readonly KeptIndex[], at: Date, { mostInAll, idleMilliseconds }: IndexLimits): string[] {
  const given: string[] = []
  for (const group of groupsOf(kept)) {
    if (kept.length - given.length <= mostInAll || !isIdle(group, at, idleMilliseconds)) break
    given.push(...group.names)
  }
  return given
}

/** Indexes that serve lists only together: one in order, and that for the values it cannot hold. */
interface Group {
  readonly project: string | null
  readonly names: readonly string[]
  readonly usedAt: number
}

/** The ones that were used longest ago come first; what is being made is not among them. */
function groupsOf(kept: readonly KeptIndex[]): Group[] {
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
