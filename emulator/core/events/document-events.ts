/**
 * Publishes document changes as events. Reads them from the change log, so that writers do no extra work, and only
 * while there are watchers.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonText } from '../../../client/protocol/model/json.js'
import type { Database } from '../../database/port.js'
import type { Bus } from '../../ports/bus/port.js'
import { type RecordedDocumentChange, selectChanges } from '../../store/realtime/changes.js'
import { selectCollectionNames, selectLastNumbers } from '../../store/realtime/project-changes.js'
import type { EventLog, Happened } from './event-log.js'

export interface DocumentEvents {
  /** Starts watching. After it resolves, every later commit becomes an event, until you call the returned function. */
  watch(): Promise<() => void>
  /** The position in the log from which on no change is missing. */
  since(): number
  close(): void
}

interface Surroundings {
  readonly db: Database
  readonly bus: Bus
  readonly log: EventLog
  readonly report: (error: unknown) => void
  /** Time for which watching continues without readers, so that a reader that reconnects resumes without a gap. */
  readonly idleMilliseconds?: number
}

interface State extends Pick<Surroundings, 'db' | 'log' | 'report'> {
  isOn: boolean
  /** Last change read, by project. */
  cursors: Map<string, number>
  /** Projects with changes to read; null stands for all. */
  wanted: Set<string | null>
  isReading: boolean
  /** Names of collections, by id. */
  names: Map<string, string>
}

/** Drops longer document texts. */
const maxCharacters = 64 * 1024
const retryMilliseconds = 500
/** Longest wait for slow readers. */
const maxWaitMilliseconds = 5_000
/** Debounces reads, so that concurrent writes are read together and writers can use the database in between. */
const debounceMilliseconds = 10

export function openDocumentEvents({ bus, idleMilliseconds = 60_000, ...given }: Surroundings): DocumentEvents {
  const { db, log } = given
  const state: State = {
    ...given,
    ...{ isOn: false, isReading: false, cursors: new Map(), wanted: new Set(), names: new Map() },
  }
  let starting: Promise<void> | undefined
  let watchers = 0
  let since = 0
  let idle: NodeJS.Timeout | undefined
  const unsubscribe = bus.subscribe({
    changes({ project }) {
      if (state.isOn) wake(state, project)
    },
    settings: () => state.names.clear(),
    identity: () => undefined,
  })

  async function start(): Promise<void> {
    state.cursors = new Map(await selectLastNumbers(db))
    // Takes a position that no reader has seen: a reader that resumes from before it may have missed changes.
    log.add({ kind: 'stream.missed', projectId: null, stream: { missed: null } })
    since = log.newest()
    state.isOn = true
    // Reads changes committed while the numbers were read.
    wake(state, null)
  }

  function stop(): void {
    state.isOn = false
    starting = undefined
    state.wanted.clear()
  }

  function leave(): void {
    if (--watchers > 0) return
    idle = setTimeout(stop, idleMilliseconds)
    idle.unref()
  }

  return {
    async watch() {
      clearTimeout(idle)
      watchers++
      try {
        starting ??= start()
        await starting
      } catch (error) {
        starting = undefined
        leave()
        throw error
      }
      return leave
    },
    since: () => since,
    close() {
      unsubscribe()
      clearTimeout(idle)
      stop()
    },
  }
}

function wake(state: State, project: string | null): void {
  state.wanted.add(project)
  if (!state.isReading) void read(state)
}

async function read(state: State): Promise<void> {
  state.isReading = true
  while (state.wanted.size > 0) {
    const wanted = [...state.wanted]
    state.wanted.clear()
    try {
      for (const project of await findProjects(state, wanted)) await readProject(state, project)
      await pause(debounceMilliseconds)
    } catch (error) {
      state.report(error)
      await pause(retryMilliseconds)
      for (const project of state.isOn ? wanted : []) state.wanted.add(project)
    }
  }
  state.isReading = false
}

/** Returns the wanted projects or, for all, those with new changes. */
async function findProjects({ db, cursors }: State, wanted: readonly (string | null)[]): Promise<Iterable<string>> {
  if (!wanted.includes(null)) return wanted.filter((project) => project !== null)
  const newest = await selectLastNumbers(db)
  return [...newest].flatMap(([project, last]) => (last > (cursors.get(project) ?? 0) ? [project] : []))
}

async function readProject(state: State, project: string): Promise<void> {
  const { db, log, cursors } = state
  while (state.isOn) {
    const after = cursors.get(project) ?? 0
    const { changes, isAll, lastSeq } = await selectChanges(db, { project, after })
    const names = await readNames(state, new Set(changes.map(({ collection }) => collection)))
    for (const change of changes) {
      if (change.kind === 'collection' || change.kind === 'reset') continue
      log.add(toEvent(project, change, names.get(change.collection) ?? change.collection))
    }
    cursors.set(project, isAll ? Math.max(after, lastSeq) : (changes.at(-1)?.seq ?? lastSeq))
    if (isAll) return
    await waitForFastestReader(log)
  }
}

async function readNames({ db, names }: State, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const unknown = [...ids].filter((id) => !names.has(id))
  if (unknown.length === 0) return names
  const found = await selectCollectionNames(db, unknown)
  for (const [id, name] of found) names.set(id, name)
  return new Map([...names, ...found])
}

/**
 * Waits for readers that keep up, so that a burst of changes is not dropped before they read it. Doesn't wait for slow
 * readers.
 */
async function waitForFastestReader(log: EventLog): Promise<void> {
  const until = performance.now() + maxWaitMilliseconds
  const readers = [...log.readers()]
  while (readers.length > 0 && readers.every((reader) => reader.isBehind()) && performance.now() < until) await pause(5)
}

function toEvent(projectId: string, change: RecordedDocumentChange, collection: string): Happened {
  const { kind, seq, document, before } = change
  const { id, version } = document
  const [data, former] = [dropLongText(document.data), dropLongText(before?.data ?? null)]
  return { kind: `document.${kind}`, projectId, document: { seq, collection, id, version, data, before: former } }
}

function dropLongText(data: JsonText | null): JsonText | null {
  return data && data.text.length <= maxCharacters ? data : null
}
