/** Decides which fields get indexes of their own, from what lists ask, so that nobody has to. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Path } from '../../client/protocol/model/path.js'
import { ownField } from '../../client/protocol/model/where.js'
import type { Database } from '../database/port.js'
import {
  countDocuments,
  dropFieldIndex,
  type FieldIndex,
  type FieldIndexes,
  type FieldIndexKind,
  type FieldUse,
  hasField,
  type KeptIndex,
  makeFieldIndex,
  nameOf,
  selectFieldIndexes,
  updateUsedAt,
} from '../store/lists/field-indexes.js'
import { tidyTables } from '../store/upkeep.js'

export interface IndexKeeperOptions {
  readonly now: () => Date
  readonly report: (error: unknown) => void
  /** From how many documents on a collection gets indexes. */
  readonly fromDocuments?: number
  /** How often a field must have been asked for. */
  readonly fromTimes?: number
  readonly mostPerCollection?: number
  /** An index that no list has used for so long is dropped. */
  readonly unusedDays?: number
  /** How long what is known about a collection is believed. */
  readonly knownMilliseconds?: number
}

export interface IndexKeeper extends FieldIndexes {
  /** Resolves when everything that lists have brought about so far is done. */
  settled(): Promise<void>
  /** Writes down what was used, drops what was not, tidies. Also done every minute. */
  review(): Promise<void>
  /** Begins nothing more. What is being made is left to the database. */
  close(): void
}

/** Up to here a list is planned once for all; reading so few documents takes no longer than planning. */
const smallDocuments = 20_000
/** Fields that are counted at a time; clients choose their names, so there has to be an end. */
const mostCounted = 1_000
/** From here on making an index takes the embedded database seconds, in which it does nothing else. */
const longDocuments = 100_000
/** Then it is made when no list has come for so long, or when that never happens. */
const quietMilliseconds = 1_000
const mostQuietWaits = 60
const interruptedMilliseconds = 1_800_000
const dayMilliseconds = 86_400_000

export function openIndexKeeper(db: Database, options: IndexKeeperOptions): IndexKeeper {
  const { now, report, fromDocuments = 2_000, fromTimes = 3, mostPerCollection = 12 } = options
  const { unusedDays = 14, knownMilliseconds = 10_000 } = options
  const sizes = new Map<string, { documents: number; readAt: number }>()
  const timesAsked = new Map<string, number>()
  const used = new Set<string>()
  let ready = new Map<string, KeptIndex>()
  let work: Promise<void> = Promise.resolve()
  let counting: Promise<void> = Promise.resolve()
  let hasAsked = false
  let isClosed = false

  const timer = setInterval(() => void review(), 60_000)
  timer.unref()
  void enqueue(reload)

  function asked(collection: string, uses: readonly FieldUse[]) {
    hasAsked = true
    const documents = documentsIn(collection)
    for (const use of uses) note(collection, use, documents ?? 0)
    return {
      isSmall: documents !== undefined && documents <= smallDocuments,
      has: (path: Path, kind: FieldIndexKind) => isReady({ collection, path, kind }),
    }
  }

  /** Undefined until it was counted for the first time. */
  function documentsIn(collection: string): number | undefined {
    const known = sizes.get(collection)
    const at = now().getTime()
    if (!known || Math.abs(at - known.readAt) > knownMilliseconds) {
      if (sizes.size > mostCounted) sizes.clear()
      sizes.set(collection, { documents: known?.documents ?? Number.POSITIVE_INFINITY, readAt: at })
      const counted = count(collection, at).catch(reportUnlessClosed)
      counting = Promise.all([counting, counted]).then(() => undefined)
    }
    return known?.documents
  }

  async function count(collection: string, readAt: number) {
    sizes.set(collection, { documents: await countDocuments(db, collection), readAt })
  }

  function note(collection: string, { path, kind }: FieldUse, documents: number) {
    const kinds = kind === 'range' ? (['asc', 'desc'] as const) : [kind]
    const [wanted] = kinds.map((one) => ({ collection, path, kind: one }))
    const serving = kinds.map((one) => ({ collection, path, kind: one })).find(isReady)
    if (serving) for (const part of partsOf(serving)) used.add(nameOf(part))
    if (serving || !wanted || !Number.isFinite(documents) || documents < fromDocuments) return
    const name = nameOf(wanted)
    const times = (timesAsked.get(name) ?? 0) + 1
    if (timesAsked.size >= mostCounted) timesAsked.clear()
    timesAsked.set(name, times)
    if (times % fromTimes === 0) void enqueue(() => make(wanted))
  }

  function isReady(index: FieldIndex): boolean {
    return ready.size > 0 && partsOf(index).every((part) => ready.has(nameOf(part)))
  }

  async function make(index: FieldIndex) {
    const inCollection = [...ready.values()].filter(({ collection }) => collection === index.collection)
    if (inCollection.length >= mostPerCollection) return
    if (!ownField(index.path) && !(await hasField(db, index.collection, index.path))) return
    const isLong = (sizes.get(index.collection)?.documents ?? 0) > longDocuments
    if (isLong && !db.capabilities.supportsConcurrentIndexes) await quiet()
    if (isClosed) return
    for (const part of partsOf(index)) await makeFieldIndex(db, part, now().toISOString())
    await reload()
  }

  async function quiet() {
    for (let waits = 0; waits < mostQuietWaits && !isClosed; waits++) {
      hasAsked = false
      await pause(quietMilliseconds, undefined, { ref: false })
      if (!hasAsked) return
    }
  }

  async function reload() {
    ready = new Map((await selectFieldIndexes(db)).filter((index) => index.isReady).map((index) => [index.name, index]))
  }

  function review(): Promise<void> {
    return enqueue(async () => {
      const at = now()
      if (used.size > 0) await updateUsedAt(db, [...used], at.toISOString())
      used.clear()
      for (const index of await selectFieldIndexes(db)) if (isUnwanted(index, at)) await dropFieldIndex(db, index.name)
      await reload()
      await tidyTables(db)
    })
  }

  function isUnwanted({ isLeft, isReady, madeAt, usedAt }: KeptIndex, at: Date): boolean {
    if (isLeft) return true
    if (!isReady) return at.getTime() - Date.parse(madeAt) > interruptedMilliseconds
    return at.getTime() - Date.parse(usedAt) > unusedDays * dayMilliseconds
  }

  /** One thing after the other; what fails is reported, and does not stop what follows. */
  function enqueue(step: () => Promise<void>): Promise<void> {
    work = work.then(async () => {
      if (!isClosed) await step().catch(reportUnlessClosed)
    })
    return work
  }

  function reportUnlessClosed(error: unknown) {
    if (!isClosed) report(error)
  }

  return {
    asked,
    review,
    settled: async () => {
      await counting
      await work
    },
    close() {
      isClosed = true
      clearInterval(timer)
    },
  }
}

/** An index in order comes with one for the values that it cannot hold; times are all alike. */
function partsOf(index: FieldIndex): readonly FieldIndex[] {
  if (index.kind === 'text' || ownField(index.path)) return [index]
  return [{ ...index, kind: 'odd' }, index]
}
