/**
 * The stream of everything that happens. Each reader goes through the log at their own pace and holds nothing of it: who is too
 * slow receives how much was dropped meanwhile. Contract 11.
 */
import type { ServerResponse } from 'node:http'
import type { EmulatorEvent } from '../../../client/protocol/model/events/emulator-event.js'
import type { Backend } from '../../core/context.js'
import type { EventLog, LoggedEvent } from '../../core/events/event-log.js'
import { cutOff } from '../reply/ends.js'
import { backpressureOf } from './backpressure.js'
import type { Stream } from './sse.js'

/** What a reader of the stream asks for. */
export interface Followed {
  readonly project: string | undefined
  /** Groups and kinds; left out, all. */
  readonly kinds: readonly string[] | undefined
  /** The id of the last event that is known already. */
  readonly since: string | undefined
  /** How many of the events that are kept come first, where `since` is left out. */
  readonly last: number
}

const commentMilliseconds = 15_000
/** What is read of the log at once. */
const mostEvents = 200

/** Resolves once nothing that happens is missed. */
export async function followEvents(backend: Backend, wish: Followed, streams: Set<() => void>): Promise<Stream> {
  const { events: log, documentEvents } = backend
  const hasDocuments = wantsDocuments(wish)
  const unwatch = hasDocuments ? await documentEvents.watch() : () => undefined
  const unwant = wish.kinds?.includes(answered) ? log.wantAnswered() : () => undefined
  const leave = () => {
    unwatch()
    unwant()
  }
  const begin = beginningOf(log, wish, hasDocuments ? documentEvents.since() : 0)
  return { open: (res) => openStream(log, wish, { res, streams, begin, leave }), hasBackpressure: true }
}

interface Beginning {
  /** The place in the log after which it begins. */
  readonly after: number
  /** Whether more was missed than can be counted. */
  readonly isBroken: boolean
}

function beginningOf(log: EventLog, wish: Followed, documentsSince: number): Beginning {
  const newest = log.newest()
  const { since } = wish
  if (since === undefined) return { after: beforeLast(log, wish) ?? newest, isBroken: false }
  const place = log.findPosition(since)
  return { after: place ?? newest, isBroken: place === undefined || place < documentsSince }
}

/** The place before so many of the last events that are wanted; nothing where none is. */
function beforeLast(log: EventLog, wish: Followed): number | undefined {
  if (wish.last < 1) return undefined
  const [first] = log.read(0, log.newest()).events.filter(testOf(wish)).slice(-wish.last)
  return first && first.at - 1
}

interface Opening {
  readonly res: ServerResponse
  readonly streams: Set<() => void>
  readonly begin: Beginning
  leave(): void
}

function openStream(log: EventLog, wish: Followed, { res, streams, begin, leave }: Opening): void {
  const passes = testOf(wish)
  let isOver = false
  let isPumping = false
  let place = begin.after

  const backpressure = backpressureOf({
    isOpen: () => !isOver,
    waitingBytes: () => res.writableLength,
    giveUp() {
      end()
      cutOff(res)
    },
  })

  function end(): void {
    if (isOver) return
    isOver = true
    exit()
    leave()
    clearInterval(comments)
    streams.delete(end)
    res.end()
  }

  async function pump(): Promise<void> {
    if (isPumping) return
    isPumping = true
    while (!isOver) {
      if (!backpressure.canWrite()) await backpressure.drained()
      const { events, missed } = log.read(place, mostEvents)
      if (isOver || events.length === 0) break
      if (missed > 0) write(res, own('stream.missed', log.makeId(place + missed), missed))
      for (const event of events) if (passes(event)) write(res, event)
      place = events.at(-1)?.at ?? place
    }
    isPumping = false
  }

  const exit = log.enter({ wake: () => void pump(), isBehind: () => !backpressure.canWrite() })
  const comments = setInterval(() => res.write(':\n\n'), commentMilliseconds)
  comments.unref()
  streams.add(end)
  res.on('close', end)
  if (res.req.method === 'HEAD' || res.destroyed) end()
  if (isOver) return
  write(res, own('stream.opened', log.makeId(place), null))
  if (begin.isBroken) write(res, own('stream.missed', log.makeId(place), null))
  void pump()
}

/** What a stream says of itself. It names the event before, so that it is resumed there. */
function own(
  kind: 'stream.opened' | 'stream.missed',
  id: string,
  missed: number | null,
): Pick<LoggedEvent, 'id' | 'text'> {
  const event: EmulatorEvent = { id, at: new Date().toISOString(), kind, projectId: null, stream: { missed } }
  return { id, text: JSON.stringify(event) }
}

function write(res: ServerResponse, { id, text }: Pick<LoggedEvent, 'id' | 'text'>): void {
  res.write(`id: ${id}\ndata: ${text}\n\n`)
}

function testOf({ project, kinds }: Followed): (event: LoggedEvent) => boolean {
  const wanted = kinds && new Set(kinds)
  return (event) =>
    groupOf(event.kind) !== 'stream' &&
    (project === undefined || event.projectId === null || event.projectId === project) &&
    (wanted?.has(event.kind) || (event.kind !== answered && (!wanted || wanted.has(groupOf(event.kind)))))
}

/** Comes only where it is named: a stream of everything else would be mostly that. */
const answered = 'request.answered'

function groupOf(kind: string): string {
  return kind.slice(0, kind.indexOf('.'))
}

function wantsDocuments({ kinds }: Followed): boolean {
  return !kinds || kinds.some((name) => groupOf(`${name}.`) === 'document')
}
