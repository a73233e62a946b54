/** Creates and drops indexes on fields, based on the filters of lists. */
import type { Path } from '../../client/protocol/model/path.js'
import { ownField } from '../../client/protocol/model/where.js'
import type { Database } from '../database/port.js'
import {
  averageBytes,
  countDocuments,
  dropFieldIndex,
  type FieldIndex,
  type FieldIndexes,
  type FieldIndexKind,
  type FieldUse,
  hasFields,
  indexName,
  makeFieldIndex,
  selectCollectionProject,
  selectFieldIndexes,
  selectReadyIndexes,
  storedBytes,
  updateUses,
} from '../store/lists/indexes.js'
import { type IndexLimits, isObsolete, pickExcess, pickReplaced } from './index-room.js'
import {
  countUse,
  expandIndex,
  type IndexThresholds,
  type IndexUses,
  isReady,
  maxCounted,
  type Wanted,
} from './index-uses.js'
import { type Leader, onlyProcess } from './leader.js'
import { announceLong, canTakeTime, type LongBuilds, noLongBuilds } from './long-builds.js'
import { openRounds, type Round } from './rounds.js'

export interface IndexKeeperOptions extends IndexThresholds, IndexLimits {
  readonly now: () => Date
  readonly report: (error: unknown) => void
  /** Tells the user that building an index keeps the database busy, or would take too long. */
  readonly announce: (message: string) => void
  /** Picks the process that drops unused indexes. */
  readonly leader: Leader
  /** Days after which an unused index is dropped. */
  readonly unusedDays: number
  /** How long to cache the size of a collection. */
  readonly sizeMilliseconds: number
}

const defaults = {
  leader: onlyProcess,
  fromDocuments: 2_000,
  fromTimes: 3,
  atOnceDocuments: 100_000,
  maxPerCollection: 12,
  maxTotal: 300,
  idleMilliseconds: 3_600_000,
  unusedDays: 14,
  sizeMilliseconds: 2_000,
  announce: () => undefined,
}

export interface IndexKeeper extends FieldIndexes {
  /** Marks the service as busy until the returned function is called, so that no build starts. */
  busy(): () => void
  /** Resolves when all work caused by lists so far is done. */
  settled(): Promise<void>
  /** Saves index uses and drops unused indexes. Also runs every minute. */
  review(): Promise<void>
  /** Starts no more work. Leaves running builds to the database. */
  close(): void
}

/** Up to this size a list is planned only once, because reading so few documents is as fast as planning. */
const smallDocuments = 20_000
const reviewMilliseconds = 60_000

const maxEarly = 100

interface CollectionSize {
  readonly documents: number
  /** Estimated size of the documents on disk. */
  readonly bytes?: number
  readonly readAt: number
}

interface State extends IndexUses, LongBuilds {
  readonly db: Database
  readonly options: IndexKeeperOptions
  /** Sizes of collections, as last counted. */
  readonly sizes: Map<string, CollectionSize>
  readonly wanted: Map<string, Wanted>
  /** Filters used before the collection was first counted. */
  readonly early: Map<string, FieldUse[]>
  /** Collections without room for indexes at the last check. */
  readonly crowded: Set<string>
}

export function openIndexKeeper(
  db: Database,
  given: Pick<IndexKeeperOptions, 'now' | 'report'> & Partial<IndexKeeperOptions>,
): IndexKeeper {
  const options = { ...defaults, ...given }
  const { report } = options
  const state: State = {
    db,
    options,
    sizes: new Map(),
    wanted: new Map(),
    early: new Map(),
    ready: new Map(),
    timesAsked: new Map(),
    used: new Map(),
    crowded: new Set(),
    ...noLongBuilds(),
  }
  const stale = new Set<string>()
  const counting = openRounds({
    report,
    async work(round) {
      await countStale(state, stale, round)
      for (const [collection, uses] of state.early) {
        const documents = state.sizes.get(collection)?.documents
        if (documents === undefined || !Number.isFinite(documents)) continue
        state.early.delete(collection)
        count(collection, uses, documents)
      }
    },
  })
  const making = openRounds({ name: 'indexes', report, work: (round) => makeWanted(state, round) })
  const reviewing = openRounds({ report, everyMilliseconds: reviewMilliseconds, work: () => review(state) })
  making.soon()

  function count(collection: string, uses: readonly FieldUse[], documents: number) {
    for (const use of uses) {
      const wanted = countUse(state, collection, use, { ...options, documents })
      if (!wanted || state.refused.has(indexName(wanted.index))) continue
      state.wanted.set(indexName(wanted.index), wanted)
      making.soon()
    }
  }

  return {
    request(collection, uses) {
      state.isBusy = true
      const { documents, bytes } = getSize(state, collection, () => {
        stale.add(collection)
        counting.soon()
      })
      if (documents !== undefined && Number.isFinite(documents)) count(collection, uses, documents)
      else keepEarly(state, collection, uses)
      return {
        isSmall: documents !== undefined && documents <= smallDocuments,
        documents: Number.isFinite(documents) ? documents : undefined,
        bytes,
        has: (path: Path, kind: FieldIndexKind, equal: readonly Path[] = []) =>
          isReady(state, { collection, path, kind, equal }),
      }
    },
    busy() {
      state.isBusy = true
      state.atWork++
      return () => {
        state.atWork--
      }
    },
    review() {
      reviewing.soon()
      return reviewing.settled()
    },
    async settled() {
      for (const rounds of [counting, making, reviewing]) await rounds.settled()
    },
    close() {
      for (const rounds of [counting, making, reviewing]) void rounds.close()
    },
  }
}

function keepEarly({ early }: State, collection: string, uses: readonly FieldUse[]) {
  const before = early.get(collection) ?? []
  if (uses.length > 0 && before.length < maxEarly && early.size < maxCounted)
    early.set(collection, [...before, ...uses])
}

/** Returns nothing until the first count. */
function getSize({ sizes, options }: State, collection: string, countSoon: () => void): Partial<CollectionSize> {
  const known = sizes.get(collection)
  const at = options.now().getTime()
  if (!known || Math.abs(at - known.readAt) > options.sizeMilliseconds) {
    if (sizes.size > maxCounted) sizes.clear()
    sizes.set(collection, { documents: Number.POSITIVE_INFINITY, ...known, readAt: at })
    countSoon()
  }
  return known ?? {}
}

async function countStale({ db, sizes, options }: State, stale: Set<string>, { isStopped }: Round): Promise<void> {
  for (const collection of [...stale]) {
    stale.delete(collection)
    if (isStopped()) return
    const documents = await countDocuments(db, collection)
    const bytes = documents * (await averageBytes(db, collection))
    sizes.set(collection, { documents, bytes, readAt: options.now().getTime() })
  }
}

/** Builds the wanted indexes one after another, because each keeps the database busy. */
async function makeWanted(state: State, round: Round): Promise<void> {
  await reload(state)
  for (const [name, wanted] of [...state.wanted]) {
    state.wanted.delete(name)
    if (round.isStopped()) return
    await make(state, wanted, round).catch((error) => {
      if (!round.isStopped()) state.options.report(error)
    })
  }
}

/** Reads the size only for text indexes, whose build time depends on it. */
async function bytesFor(db: Database, { kind, collection }: FieldIndex): Promise<number> {
  return kind === 'text' ? storedBytes(db, collection) : 0
}

async function make(state: State, { index, times }: Wanted, round: Round): Promise<void> {
  const { db, options, sizes, crowded } = state
  const { announce } = options
  if (isReady(state, index) || crowded.has(index.collection)) return
  const fields = index.kind === 'creator' ? [] : [...(index.equal ?? []), index.path].filter((path) => !ownField(path))
  if (fields.length > 0 && !(await hasFields(db, index.collection, fields))) return
  const documents = sizes.get(index.collection)?.documents ?? 0
  const isAlone = !db.capabilities.supportsConcurrentIndexes
  // Skips waiting and announcing if the index does not fit.
  if (
    isAlone &&
    !(
      (await indexesToDrop(state, index)) &&
      (await canTakeTime(state, index, { documents, bytes: await bytesFor(db, index) }, { round, announce }))
    )
  )
    return
  const names = round.isStopped() ? undefined : await indexesToDrop(state, index)
  if (!names) return
  if (isAlone) announceLong(index, documents, announce)
  for (const name of names) await dropFieldIndex(db, name)
  const lists = times === 1 ? 'one list' : `${times} lists`
  const reason = `${lists} needed it among ${documents.toLocaleString('en')} documents`
  for (const part of expandIndex(index)) await makeFieldIndex(db, part, options.now().toISOString(), reason)
  await reload(state)
}

/** Picks the indexes to drop to make room for one; undefined if it does not fit. */
async function indexesToDrop(state: State, index: FieldIndex): Promise<readonly string[] | undefined> {
  const { db, options, crowded } = state
  const project = await selectCollectionProject(db, index.collection)
  if (project === undefined) return undefined
  const at = options.now()
  await writeUses(state, at)
  const kept = await selectFieldIndexes(db)
  const count = expandIndex(index).filter((part) => kept.every(({ name }) => name !== indexName(part))).length
  const names = pickReplaced(kept, { project, collection: index.collection, count }, at, options)
  if (!names) crowded.add(index.collection)
  return names
}

async function reload(state: State): Promise<void> {
  const indexes = await selectReadyIndexes(state.db)
  state.ready = new Map(indexes.map((index) => [index.name, index]))
}

/** Saves the uses that this process knows. The leader drops indexes that no process uses. */
async function review(state: State): Promise<void> {
  const { db, options, crowded, refused } = state
  const at = options.now()
  crowded.clear()
  refused.clear()
  await writeUses(state, at)
  if (await options.leader.leads()) {
    const kept = await selectFieldIndexes(db)
    const unwanted = kept.filter((index) => isObsolete(index, at, options.unusedDays))
    const wanted = kept.filter((index) => !unwanted.includes(index))
    const names = [...unwanted.map(({ name }) => name), ...pickExcess(wanted, at, options)]
    for (const name of names) await dropFieldIndex(db, name)
  }
  await reload(state)
}

async function writeUses(state: State, at: Date): Promise<void> {
  const { db, used } = state
  state.used = new Map()
  if (used.size > 0) await updateUses(db, used, at.toISOString())
}
