/** Decides which fields get indexes of their own, from what lists ask. */
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
  hasFields,
  indexName,
  makeFieldIndex,
  selectCollectionProject,
  selectFieldIndexes,
  selectReadyIndexes,
  storedBytes,
  updateUses,
} from '../store/lists/indexes.js'
import { givingWay, type IndexLimits, isUnwanted, tooMany } from './index-room.js'
import {
  countUse,
  type IndexThresholds,
  type IndexUses,
  isReady,
  mostCounted,
  partsOf,
  type Wanted,
} from './index-uses.js'
import { type Leader, onlyProcess } from './leader.js'
import { announceLong, canTakeTime, type LongBuilds, noLongBuilds } from './long-builds.js'
import { openRounds, type Round } from './rounds.js'

export interface IndexKeeperOptions extends IndexThresholds, IndexLimits {
  readonly now: () => Date
  readonly report: (error: unknown) => void
  /** Says to people that an index keeps the database busy, or would for too long. */
  readonly announce: (message: string) => void
  /** Which process drops what no list uses. */
  readonly leader: Leader
  /** An index that no list has used for so long is dropped. */
  readonly unusedDays: number
  /** How long the size of a collection is believed. */
  readonly sizeMilliseconds: number
}

const defaults = {
  leader: onlyProcess,
  fromDocuments: 2_000,
  fromTimes: 3,
  atOnceDocuments: 100_000,
  mostPerCollection: 12,
  mostInAll: 300,
  idleMilliseconds: 3_600_000,
  unusedDays: 14,
  sizeMilliseconds: 2_000,
  announce: () => undefined,
}

export interface IndexKeeper extends FieldIndexes {
  /** The service is at work until what is answered is called, so this is no quiet moment. */
  busy(): () => void
  /** Resolves when everything that lists have brought about so far is done. */
  settled(): Promise<void>
  /** Writes down what was used and drops what was not. Also done every minute. */
  review(): Promise<void>
  /** Begins nothing more. What is being made is left to the database. */
  close(): void
}

/** Up to here a list is planned once for all; reading so few documents takes no longer than planning. */
const smallDocuments = 20_000
const reviewMilliseconds = 60_000

const mostEarly = 100

interface State extends IndexUses, LongBuilds {
  readonly db: Database
  readonly options: IndexKeeperOptions
  /** Of collections, as they were counted last. */
  readonly sizes: Map<string, { readonly documents: number; readonly readAt: number }>
  readonly wanted: Map<string, Wanted>
  /** What lists asked for before the collection was counted for the first time. */
  readonly early: Map<string, FieldUse[]>
  /** Collections for whose indexes there was no room when that was looked at last. */
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
      const documents = sizeOf(state, collection, () => {
        stale.add(collection)
        counting.soon()
      })
      if (documents !== undefined && Number.isFinite(documents)) count(collection, uses, documents)
      else keepEarly(state, collection, uses)
      return {
        isSmall: documents !== undefined && documents <= smallDocuments,
        documents: Number.isFinite(documents) ? documents : undefined,
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
  if (uses.length > 0 && before.length < mostEarly && early.size < mostCounted)
    early.set(collection, [...before, ...uses])
}

/** Undefined until it was counted for the first time. */
function sizeOf({ sizes, options }: State, collection: string, countSoon: () => void): number | undefined {
  const known = sizes.get(collection)
  const at = options.now().getTime()
  if (!known || Math.abs(at - known.readAt) > options.sizeMilliseconds) {
    if (sizes.size > mostCounted) sizes.clear()
    sizes.set(collection, { documents: known?.documents ?? Number.POSITIVE_INFINITY, readAt: at })
    countSoon()
  }
  return known?.documents
}

async function countStale({ db, sizes, options }: State, stale: Set<string>, { isStopped }: Round): Promise<void> {
  for (const collection of [...stale]) {
    stale.delete(collection)
    if (isStopped()) return
    sizes.set(collection, { documents: await countDocuments(db, collection), readAt: options.now().getTime() })
  }
}

/** Makes what is wanted, one index after the other, since each keeps the database busy. */
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

/** Only words take long by their size. */
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
  // Without room there is nothing to wait for, nor to say.
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
  const reason = `${lists} asked for it among ${documents.toLocaleString('en')} documents`
  for (const part of partsOf(index)) await makeFieldIndex(db, part, options.now().toISOString(), reason)
  await reload(state)
}

/** Names of the indexes to drop to make room for one; undefined where there is no room all the same. */
async function indexesToDrop(state: State, index: FieldIndex): Promise<readonly string[] | undefined> {
  const { db, options, crowded } = state
  const project = await selectCollectionProject(db, index.collection)
  if (project === undefined) return undefined
  const at = options.now()
  await writeUses(state, at)
  const kept = await selectFieldIndexes(db)
  const count = partsOf(index).filter((part) => kept.every(({ name }) => name !== indexName(part))).length
  const names = givingWay(kept, { project, collection: index.collection, count }, at, options)
  if (!names) crowded.add(index.collection)
  return names
}

async function reload(state: State): Promise<void> {
  const indexes = await selectReadyIndexes(state.db)
  state.ready = new Map(indexes.map((index) => [index.name, index]))
}

/** Each process knows what its own lists have used, and one of them drops what none has. */
async function review(state: State): Promise<void> {
  const { db, options, crowded, refused } = state
  const at = options.now()
  crowded.clear()
  refused.clear()
  await writeUses(state, at)
  if (await options.leader.leads()) {
    const kept = await selectFieldIndexes(db)
    const unwanted = kept.filter((index) => isUnwanted(index, at, options.unusedDays))
    const wanted = kept.filter((index) => !unwanted.includes(index))
    const names = [...unwanted.map(({ name }) => name), ...tooMany(wanted, at, options)]
    for (const name of names) await dropFieldIndex(db, name)
  }
  await reload(state)
}

async function writeUses(state: State, at: Date): Promise<void> {
  const { db, used } = state
  state.used = new Map()
  if (used.size > 0) await updateUses(db, used, at.toISOString())
}
