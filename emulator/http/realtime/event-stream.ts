/**
 * Streams all events to developers. Each reader walks the log at its own pace and buffers nothing. A reader that is too slow
 * learns how many events were dropped. Contract 11.
 */
import type { ServerResponse } from 'node:http'
import type { EmulatorEvent } from '../../../client/protocol/model/events/emulator-event.js'
import type { Backend } from '../../core/context.js'
import type { EventLog, LoggedEvent } from '../../core/events/event-log.js'
import { cutOff } from '../reply/ends.js'
import { openBackpressure } from './backpressure.js'
import type { Stream } from './sse.js'

/** The request for an event stream. */
export interface FollowRequest {
  readonly project: string | undefined
  /** Groups and kinds. Defaults to all. */
  readonly kinds: readonly string[] | undefined
  /** The id of the last event that the client already has. */
  readonly since: string | undefined
  /** How many past events to send first, without `since`. */
  readonly last: number
}

const commentMilliseconds = 15_000
/** How many events to read from the log at once. */
const maxEvents = 200

/** Resolves once the stream is registered and misses no further events. */
export async function followEvents(
  backend: Backend,
  request: FollowRequest,
  streams: Set<() => void>,
): Promise<Stream> {
  const { events: log, documentEvents } = backend
  const hasDocuments = wantsDocuments(request)
  const unwatch = hasDocuments ? await documentEvents.watch() : () => undefined
  const unwant = request.kinds?.includes(answered) ? log.wantAnswered() : () => undefined
  const leave = () => {
    unwatch()
    unwant()
  }
  const begin = findBeginning(log, request, hasDocuments ? documentEvents.since() : 0)
  return { open: (res) => openStream(log, request, { res, streams, begin, leave }), hasBackpressure: true }
}

interface Beginning {
  /** The position in the log after which the stream begins. */
  readonly after: number
  /** Whether an unknown number of events was missed. */
  readonly isBroken: boolean
}

function findBeginning(log: EventLog, request: FollowRequest, documentsSince: number): Beginning {
  const newest = log.newest()
  const { since } = request
  if (since === undefined) return { after: beforeLast(log, request) ?? newest, isBroken: false }
  const place = log.findPosition(since)
  return { after: place ?? newest, isBroken: place === undefined || place < documentsSince }
}

/** Finds the position before the last matching events; undefined if none match. */
function beforeLast(log: EventLog, request: FollowRequest): number | undefined {
  if (request.last < 1) return undefined
  const [first] = log.read(0, log.newest()).events.filter(compileTest(request)).slice(-request.last)
  return first && first.at - 1
}

interface Opening {
  readonly res: ServerResponse
  readonly streams: Set<() => void>
  readonly begin: Beginning
  leave(): void
}

function openStream(log: EventLog, request: FollowRequest, { res, streams, begin, leave }: Opening): void {
  const passes = compileTest(request)
  let isOver = false
  let isPumping = false
  let place = begin.after

  const backpressure = openBackpressure({
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
      const { events, missed } = log.read(place, maxEvents)
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

/** Writes an event of the stream itself. Its id is that of the previous event, so that the stream resumes there. */
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

function compileTest({ project, kinds }: FollowRequest): (event: LoggedEvent) => boolean {
  const wanted = kinds && new Set(kinds)
  return (event) =>
    readGroup(event.kind) !== 'stream' &&
    (project === undefined || event.projectId === null || event.projectId === project) &&
    (wanted?.has(event.kind) || (event.kind !== answered && (!wanted || wanted.has(readGroup(event.kind)))))
}

/** Sent only if the client names this kind, because it would drown out all others. */
const answered = 'request.answered'

function readGroup(kind: string): string {
  return kind.slice(0, kind.indexOf('.'))
}

function wantsDocuments({ kinds }: FollowRequest): boolean {
  return !kinds || kinds.some((name) => readGroup(`${name}.`) === 'document')
}
