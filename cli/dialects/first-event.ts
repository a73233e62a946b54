/** What events look like: subscribes to a collection, and takes the event of a document that is created in it. */
import type { Json } from '../../client/protocol/model/json.js'
import { fetchDirectly } from '../target/fetch-directly.js'

const mostMilliseconds = 5_000

interface Subscribed {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly collection: string
  /** Ends the waiting, and fails. */
  readonly signal?: AbortSignal | undefined
}

/** Nothing, where the service has no server-sent events, or sends none in time. */
export async function firstEventOf(
  { url, headers, collection, signal }: Subscribed,
  createDocument: () => Promise<unknown>,
): Promise<Json | undefined> {
  const late = AbortSignal.timeout(mostMilliseconds)
  const ended = signal ? AbortSignal.any([signal, late]) : late
  try {
    const response = await fetchDirectly(`${url}/realtime/sse/${collection}`, { headers, signal: ended })
    if (!response.ok || !response.body) return undefined
    const [event] = await Promise.all([firstEvent(response.body), createDocument()])
    return event
  } catch (error) {
    signal?.throwIfAborted()
    if (late.aborted || error instanceof TypeError) return undefined
    throw error
  }
}

/** The data of the first event, and the end of the stream. */
async function firstEvent(stream: ReadableStream<Uint8Array>): Promise<Json | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true })
    const data = /^data: ?(.*)\r?\n/m.exec(text)?.[1]
    if (data !== undefined) return JSON.parse(data)
  }
  return undefined
}
