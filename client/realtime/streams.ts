/** Subscribes over Server-Sent Events, one stream each. Uses `fetch`, because `EventSource` cannot send headers. */

import { parseObject } from '../protocol/model/json.js'
import { segment } from '../protocol/wire/paths/encode.js'
import { realtimeDialect } from '../protocol/wire/spoken.js'
import { type ConnectionAttempt, keepConnected } from './connection.js'
import type { Listener, Transport, TransportClient } from './transport.js'

export function overStreams(client: TransportClient): Transport {
  return (listener) => {
    keepConnected(client, { ...listener, connect: (attempt) => readStream(client, listener, attempt) })
  }
}

/** Reads until the service ends the stream. */
async function readStream(
  client: TransportClient,
  listener: Listener,
  { signal, received, works }: ConnectionAttempt,
): Promise<void> {
  const { body } = await client.openStream({
    method: 'GET',
    path: `/realtime/sse/${segment(listener.collection)}`,
    query: [
      ['dialect', realtimeDialect(await client.dialect())],
      ['live', listener.live],
      ['filters', JSON.stringify(listener.filters)],
    ],
    headers: { accept: 'text/event-stream', 'last-event-id': listener.since()?.toString() },
    signal,
  })
  works()
  listener.receive({})
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; ; ) {
    // Treats a broken stream like an ended one.
    const { value } = (await reader?.read().catch(() => {})) ?? {}
    if (!value) return
    received()
    const blocks = (text + value).split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const { id, data } = Object.fromEntries(block.split(/\r?\n/).map((line) => line.split(/: ?(.*)/s)))
      if (data) listener.receive(parseObject(data))
      else if (id) listener.receive({ seq: Number(id) })
    }
  }
}
