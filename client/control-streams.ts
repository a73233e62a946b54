/** Streams of the control API as loops: `for await (const event of control.events.stream())`. */
import { parseJson } from './protocol/model/json.js'
import { asFailure, type Request } from './send.js'

/** What hands over an answer that has only begun, such as `open` of a sender. */
export type Opener = (request: Request) => Promise<Response>

/**
 * The messages of a stream until the service ends it; until the signal aborts, without a fault.
 *
 * @throws {SvcError} whatever it is opened with throws, `NETWORK` where the connection breaks
 */
export async function* messagesOf(open: Opener, request: Request): AsyncGenerator<unknown, void, undefined> {
  const { signal } = request
  const stop = new AbortController()
  const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  let isOpen = false
  try {
    const { body } = await open({ ...request, signal: both })
    isOpen = true
    const decoder = new TextDecoder()
    let text = ''
    for (const reader = body?.getReader(); ; ) {
      const { value } = (await reader?.read()) ?? {}
      if (!value) return
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const line = block.split('\n').find((each) => each.startsWith('data: '))
        if (line) yield parseJson(line.slice('data: '.length))
      }
    }
  } catch (error) {
    if (!signal?.aborted) throw isOpen ? asFailure(error) : error
  } finally {
    // Leaving the loop closes the connection.
    stop.abort()
  }
}
