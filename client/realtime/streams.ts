/** Subscriptions over Server-Sent Events, by `fetch`, which unlike `EventSource` sends headers: a stream for each. */
import { asFailure, backOff, isPassing, pause } from '../send.js'
import type { Session } from '../session.js'
import { readMessage, realtimeDialect } from '../wire/messages.js'
import * as addresses from '../wire/paths.js'
import type { Listener, Transport } from './listener.js'

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
  for (let attempts = 1; ; attempts++) {
    try {
      await readStream(session, listener, signal, () => {
        attempts = 0
      })
    } catch (error) {
      const failure = asFailure(error)
      if (!isPassing(failure)) throw failure
    }
    listener.lost()
    await pause(backOff(session.options.retry?.delay, attempts), signal)
  }
}

/** Reads until the service ends the stream, or says nothing for two beats. */
async function readStream(session: Session, listener: Listener, signal: AbortSignal, opened: () => void) {
  const { heartbeat = 30_000 } = session.options
  const { collection, filters, live, since } = listener
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const hear = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), 2 * heartbeat)
  }
  // Who only listens has the login renewed, too.
  const renewing = setInterval(() => session.token().catch(() => undefined), heartbeat)
  try {
    hear()
    const { body } = await session.open({
      method: 'GET',
      path: addresses.stream(collection),
      query: [
        ['dialect', realtimeDialect(await session.dialect())],
        ['live', live],
        ['filters', JSON.stringify(filters)],
      ],
      headers: { accept: 'text/event-stream', 'last-event-id': since?.toString() },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    opened()
    listener.heard({})
    const reader = body?.getReader()
    const decoder = new TextDecoder()
    for (let text = ''; ; ) {
      const { value } = (await reader?.read()) ?? {}
      if (!value) return
      hear()
      const blocks = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        // Not `.` and not `^`: to those a line ends at U+2028 too, which a text may hold.
        const [, id] = /(?:^|\n)id: ?(\d+)/.exec(block) ?? []
        const [, data] = /(?:^|\n)data: ?([^\r\n]*)/.exec(block) ?? []
        if (data) listener.heard(readMessage(data))
        else if (id) listener.heard({ seq: Number(id) })
      }
    }
  } finally {
    clearTimeout(timer)
    clearInterval(renewing)
  }
}
