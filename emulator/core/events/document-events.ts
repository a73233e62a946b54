/**
 * Changes of documents as events. They are read from where they are recorded, so that writers do nothing for them, and only while
 * somebody watches.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonText } from '../../../client/protocol/model/json.js'
import type { Database } from '../../database/port.js'
import type { Bus } from '../../ports/bus/port.js'
import { type RecordedDocumentChange, selectChanges } from '../../store/realtime/changes.js'
import { selectCollectionNames, selectLastNumbers } from '../../store/realtime/project-changes.js'
import type { EventLog, Happened } from './event-log.js'

export interface DocumentEvents {
  /** Resolves once everything that is committed from then on becomes an event; until the function it answers is called. */
  watch(): Promise<() => void>
  /** The place in the log from which on no change is missing. */
  since(): number
  close(): void
}

interface Surroundings {
  readonly db: Database
  readonly bus: Bus
  readonly log: EventLog
  readonly report: (error: unknown) => void
  /** A reader that comes back within that time resumes without a gap. */
  readonly idleMilliseconds?: number
}

interface State extends Pick<Surroundings, 'db' | 'log' | 'report'> {
  isOn: boolean
  /** How far each project was read. */
  cursors: Map<string, number>
  /** Those that have something to read, or any. */
  wanted: Set<string | null>
  isReading: boolean
  /** Of collections, by id. */
  names: Map<string, string>
}

/** Longer texts are left out. */
const mostCharacters = 64 * 1024
const retryMilliseconds = 500
/** How long reading waits for watchers who all lag behind. */
const mostWaitMilliseconds = 5_000
/** Between two reads: what is written meanwhile is read together, and writers have the database in between. */
const gatheringMilliseconds = 10

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
    // It takes a place that no reader has been at, and is shown to none: a reader that resumes before it may have missed changes.
    log.add({ kind: 'stream.missed', projectId: null, stream: { missed: null } })
    since = log.newest()
    state.isOn = true
    // What came while the numbers were read.
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
      for (const project of await projectsOf(state, wanted)) await readProject(state, project)
      await pause(gatheringMilliseconds)
    } catch (error) {
      state.report(error)
      await pause(retryMilliseconds)
      for (const project of state.isOn ? wanted : []) state.wanted.add(project)
    }
  }
  state.isReading = false
}

/** Where it may be any, those that have something new. */
async function projectsOf({ db, cursors }: State, wanted: readonly (string | null)[]): Promise<Iterable<string>> {
  if (!wanted.includes(null)) return wanted.filter((project) => project !== null)
  const newest = await selectLastNumbers(db)
  return [...newest].flatMap(([project, last]) => (last > (cursors.get(project) ?? 0) ? [project] : []))
}

async function readProject(state: State, project: string): Promise<void> {
  const { db, log, cursors } = state
  while (state.isOn) {
    const after = cursors.get(project) ?? 0
    const { changes, isAll, lastSeq } = await selectChanges(db, { project, after })
    const names = await namesOf(state, new Set(changes.map(({ collection }) => collection)))
    for (const change of changes) {
      if (change.kind === 'collection' || change.kind === 'reset') continue
      log.add(eventOf(project, change, names.get(change.collection) ?? change.collection))
    }
    cursors.set(project, isAll ? Math.max(after, lastSeq) : (changes.at(-1)?.seq ?? lastSeq))
    if (isAll) return
    await quickestReader(log)
  }
}

async function namesOf({ db, names }: State, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const unknown = [...ids].filter((id) => !names.has(id))
  if (unknown.length === 0) return names
  const found = await selectCollectionNames(db, unknown)
  for (const [id, name] of found) names.set(id, name)
  return new Map([...names, ...found])
}

/** Those who keep up are waited for, so that many changes at once are not dropped before they were read; those who do not are not. */
async function quickestReader(log: EventLog): Promise<void> {
  const until = performance.now() + mostWaitMilliseconds
  const readers = [...log.readers()]
  while (readers.length > 0 && readers.every((reader) => reader.isBehind()) && performance.now() < until) await pause(5)
}

function eventOf(projectId: string, change: RecordedDocumentChange, collection: string): Happened {
  const { kind, seq, document, before } = change
  const { id, version } = document
  const [data, former] = [shortened(document.data), shortened(before?.data ?? null)]
  return { kind: `document.${kind}`, projectId, document: { seq, collection, id, version, data, before: former } }
}

function shortened(data: JsonText | null): JsonText | null {
  return data && data.text.length <= mostCharacters ? data : null
}
