/** Subscriptions over Server-Sent Events, by `fetch`, which unlike `EventSource` sends headers: a stream for each. */

import { parseObject } from '../protocol/model/json.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { realtimeDialect } from '../protocol/wire/spoken.js'
import { type ConnectionAttempt, keepConnected } from './connection.js'
import type { Listener, Transport, TransportClient } from './transport.js'

export function overStreams(client: TransportClient): Transport {
  return (listener) => {
    const connect = (attempt: ConnectionAttempt) => readStream(client, listener, attempt)
    keepConnected(client, { ...listener, connect })
  }
}

/** Reads until the service ends the stream. */
async function readStream(
  client: TransportClient,
  listener: Listener,
  { signal, received, works }: ConnectionAttempt,
): Promise<void> {
  const { collection, filters, live, since } = listener
  const { body } = await client.open({
    method: 'GET',
    path: addresses.stream(collection),
    query: [
      ['dialect', realtimeDialect(await client.dialect())],
      ['live', live],
      ['filters', JSON.stringify(filters)],
    ],
    headers: { accept: 'text/event-stream', 'last-event-id': since()?.toString() },
    signal,
  })
  works()
  listener.receive({})
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  for (let text = ''; ; ) {
    const { value } = (await reader?.read()) ?? {}
    if (!value) return
    received()
    const blocks = (text + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const { id, data } = Object.fromEntries(block.split(/\r?\n/).map((line) => line.split(/: ?(.*)/s)))
      if (data) listener.receive(parseObject(data))
      else if (id) listener.receive({ seq: Number(id) })
    }
  }
}
