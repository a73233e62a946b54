/** Streams of the control API as loops: `for await (const event of control.events.stream())`. */
import { parseJson } from './protocol/model/json.js'
import { asFailure, type Request } from './send.js'

/** What hands over an answer that has only begun, such as `open` of a sender. */
export type Opener = (request: Request) => Promise<Response>

/**
 * The service comments every 15 s on a stream that has nothing to say: if two are missing, the connection is dead although it looks
 * open, such as one through a forwarded port.
 */
const mostSilentMilliseconds = 33_000

/**
 * The messages of a stream until the service ends it; until the signal aborts, without a fault.
 *
 * @throws {SvcError} whatever it is opened with throws, `NETWORK` where the connection breaks or falls silent
 */
export async function* messagesOf(open: Opener, request: Request): AsyncGenerator<unknown, void, undefined> {
  const { signal } = request
  const stop = new AbortController()
  const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  let isOpen = false
  /** Waits for what the service sends next. While the loop over the messages is at work, nothing is waited for. */
  const inTime = <Sent>(sent: Promise<Sent>) => {
    const timer = setTimeout(() => stop.abort(), mostSilentMilliseconds)
    return sent.finally(() => clearTimeout(timer))
  }
  try {
    const { body } = await inTime(open({ ...request, signal: both }))
    isOpen = true
    const decoder = new TextDecoder()
    let text = ''
    for (const reader = body?.getReader(); reader; ) {
      const { value } = await inTime(reader.read())
      if (!value) return
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const line = block.split('\n').find((each) => each.startsWith('data: '))
        if (line) yield parseJson(line.slice('data: '.length))
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw isOpen || stop.signal.aborted ? asFailure(error) : error
  } finally {
    // Leaving the loop closes the connection.
    stop.abort()
  }
}
