/** Reads streams of the control API as async iterables: `for await (const event of control.events.stream())`. */
import { parseJson } from './protocol/model/json.js'
import { asFailure, type Request } from './send.js'

/** Opens a streaming response, such as `openStream` of a sender. */
export type Opener = (request: Request) => Promise<Response>

/**
 * The service sends a keep-alive comment every 15 s. After two missing ones the connection is dead, even if it looks
 * open, for example through a forwarded port.
 */
const maxSilentMilliseconds = 33_000

/**
 * Yields the messages of a stream until the service ends it. Returns without an error if the signal aborts.
 *
 * @throws {SvcError} errors of `open`; `NETWORK` if the connection breaks or falls silent
 */
export async function* readMessages(open: Opener, request: Request): AsyncGenerator<unknown, void, undefined> {
  const { signal } = request
  const stop = new AbortController()
  const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  let isOpen = false
  /** Runs the timeout only while waiting for the service, not while the consumer handles a message. */
  const inTime = <Sent>(sent: Promise<Sent>) => {
    const timer = setTimeout(() => stop.abort(), maxSilentMilliseconds)
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
      for (const block of blocks) yield* readBlock(block)
    }
  } catch (error) {
    if (!signal?.aborted) throw isOpen || stop.signal.aborted ? asFailure(error) : error
  } finally {
    // Leaving the loop closes the connection.
    stop.abort()
  }
}

/** Returns nothing for a comment. */
function readBlock(block: string): readonly unknown[] {
  const line = block.split('\n').find((each) => each.startsWith('data: '))
  return line ? [parseJson(line.slice('data: '.length))] : []
}
