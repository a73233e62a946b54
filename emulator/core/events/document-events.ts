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

interface State {
  readonly db: Database
  readonly log: EventLog
  readonly report: (error: unknown) => void
  /** How far each project was read. */
  cursors: Map<string, number>
  /** Reads once at a time. */
  reading: Promise<void> | undefined
  isWanted: boolean
  watchers: number
  since: number
  idle: NodeJS.Timeout | undefined
}

/** Longer texts are left out. */
const mostCharacters = 64 * 1024
/** Whoever comes back within that time resumes without a gap. */
const idleMilliseconds = 60_000
const retryMilliseconds = 500
/** How long reading waits for watchers who all lag behind. */
const mostWaitMilliseconds = 2_000

export function openDocumentEvents(
  db: Database,
  bus: Bus,
  log: EventLog,
  report: (error: unknown) => void,
): DocumentEvents {
  const state: State = {
    ...{ db, log, report },
    ...{ cursors: new Map(), reading: undefined, isWanted: false, watchers: 0, since: 0, idle: undefined },
  }
  let isOn = false
  let starting: Promise<void> | undefined
  const unsubscribe = bus.subscribe({
    changes() {
      if (isOn) wake(state)
    },
    identity: () => undefined,
    settings: () => undefined,
  })

  async function start(): Promise<void> {
    state.cursors = new Map(await selectLastNumbers(db))
    state.since = log.newest()
    isOn = true
    // What came while the numbers were read.
    wake(state)
  }

  function stop(): void {
    isOn = false
    starting = undefined
    state.isWanted = false
  }

  return {
    async watch() {
      clearTimeout(state.idle)
      state.watchers++
      const leave = () => {
        if (--state.watchers > 0) return
        state.idle = setTimeout(stop, idleMilliseconds)
        state.idle.unref()
      }
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
    since: () => state.since,
    close() {
      unsubscribe()
      clearTimeout(state.idle)
      stop()
    },
  }
}

function wake(state: State): void {
  state.isWanted = true
  state.reading ??= read(state).finally(() => {
    state.reading = undefined
  })
}

async function read(state: State): Promise<void> {
  while (state.isWanted) {
    state.isWanted = false
    try {
      for (const [project, newest] of await selectLastNumbers(state.db)) {
        if (newest > (state.cursors.get(project) ?? 0)) await readProject(state, project)
      }
    } catch (error) {
      state.report(error)
      await pause(retryMilliseconds)
      state.isWanted = state.watchers > 0
    }
  }
}

async function readProject({ db, log, cursors }: State, project: string): Promise<void> {
  for (;;) {
    const after = cursors.get(project) ?? 0
    const { changes, isAll, lastSeq } = await selectChanges(db, { project, after })
    const names = await selectCollectionNames(db, [...new Set(changes.map(({ collection }) => collection))])
    for (const change of changes) {
      if (change.kind === 'collection' || change.kind === 'reset') continue
      log.add(eventOf(project, change, names.get(change.collection) ?? change.collection))
    }
    cursors.set(project, isAll ? Math.max(after, lastSeq) : (changes.at(-1)?.seq ?? lastSeq))
    if (isAll) return
    await anyReader(log)
  }
}

/** Those who keep up are waited for, so that many changes at once are not dropped before they were read; those who do not are not. */
async function anyReader(log: EventLog): Promise<void> {
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
