/** Subscriptions over Server-Sent Events, by `fetch`, which unlike `EventSource` sends headers: a stream for each. */
import { asFailure, backOff, isPassing, pause } from '../send.js'
import type { Session } from '../session.js'
import { readChange, readFailure, readMessage, realtimeQuery } from '../wire/messages.js'
import { addresses } from '../wire/paths.js'
import { type Listener, type Transport, tell, tellOfGap, tellOfStart } from './listener.js'

export function overStreams(session: Session): Transport {
  return (listener) => {
    const stop = new AbortController()
    follow(session, listener, stop.signal).catch((error) => {
      if (!stop.signal.aborted) listener.ended(asFailure(error))
    })
    return () => stop.abort()
  }
}

/** Comes back for as long as there is hope. */
async function follow(session: Session, listener: Listener, signal: AbortSignal): Promise<never> {
  let attempts = 0
  let isReturning = false
  const opened = () => {
    tellOfStart(listener, undefined, isReturning)
    isReturning = true
    attempts = 0
  }
  for (;;) {
    try {
      await readStream(session, listener, signal, opened)
    } catch (error) {
      signal.throwIfAborted()
      const failure = asFailure(error)
      if (!isPassing(failure)) throw failure
    }
    listener.lost()
    await pause(backOff(session.options.retry?.delay, ++attempts), signal)
  }
}

/** Reads until the service ends the stream, or says nothing for two beats. */
async function readStream(session: Session, listener: Listener, signal: AbortSignal, opened: () => void) {
  const { heartbeat = 30_000 } = session.options
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), heartbeat)
  const { collection, filters, live, since } = listener
  try {
    const query = realtimeQuery(await session.dialect())
    const asked = `${query}&live=${live}&filters=${encodeURIComponent(JSON.stringify(filters))}`
    const { body } = await session.open({
      method: 'GET',
      path: `${addresses.stream(collection)}?${asked}`,
      headers: { accept: 'text/event-stream', 'last-event-id': since?.toString() },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    opened()
    const reader = body?.getReader()
    const decoder = new TextDecoder()
    for (let text = ''; ; ) {
      const { value } = (await reader?.read()) ?? {}
      if (!value) return
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), 2 * heartbeat)
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) hear(listener, block)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** @throws {SvcError} what the service ends the stream with */
function hear(listener: Listener, block: string) {
  const fields = new Map(block.split('\n').map((line) => [line.split(':')[0], line.replace(/^\w+: ?/, '')] as const))
  const id = fields.get('id')
  const message = readMessage(fields.get('data') ?? '')
  const change = readChange(message)
  const failure = readFailure(message)
  if (change) tell(listener, { ...change, seq: Number(id ?? change.seq) })
  else if (failure?.code === 'RESYNC') tellOfGap(listener)
  else if (failure) throw failure
  else if (id) listener.since ??= Number(id)
}
