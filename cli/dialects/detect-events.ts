/** What events look like: listens to a collection, and looks at the event of a document that is made in it. */
import { isObject, type Json } from '../../client/protocol/model/json.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import type { Finding } from './finding.js'

const mostMilliseconds = 5_000

export interface Listened {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly collection: string
}

/** Nothing, where the service has no server-sent events, or sends none in time. */
export async function detectEvents(
  { url, headers, collection }: Listened,
  createDocument: () => Promise<unknown>,
): Promise<Finding[]> {
  const ended = AbortSignal.timeout(mostMilliseconds)
  try {
    const response = await fetchDirectly(`${url}/realtime/sse/${collection}`, { headers, signal: ended })
    if (!response.ok || !response.body) return []
    const [event] = await Promise.all([firstEvent(response.body), createDocument()])
    return isObject(event) ? findingsOf(event) : []
  } catch (error) {
    if (ended.aborted || error instanceof TypeError) return []
    throw error
  }
}

function findingsOf(event: { readonly [name: string]: Json }): Finding[] {
  const name = String(event.event)
  const frames = event.type === 'event' ? 'message' : 'model'
  const shape = frames === 'message' ? '{type: "event", document: …}' : '{event, data: …}'
  return [
    ...(name === 'created' || name === 'create'
      ? [
          {
            axis: 'events',
            form: name === 'created' ? 'past' : 'plain',
            evidence: `an event is called "${name}"`,
          } as const,
        ]
      : []),
    { axis: 'frames', form: frames, evidence: `an event comes as ${shape}` },
  ]
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
