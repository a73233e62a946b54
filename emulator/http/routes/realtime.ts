import type { JsonObject } from '../../../client/protocol/model/json.js'
import { badParameter, decodeFilters } from '../../../client/protocol/wire/query/decode.js'
import { newTicket } from '../../core/realtime/tickets.js'
import { parseMeasured } from '../request/read-json.js'
import { namedQuery } from '../request/read-list.js'
import { route } from '../route.js'

const streamQuery = namedQuery({
  filters: 'A JSON object of fields and values, with the same names as the filters of a list.',
  live: 'Use true to report documents that enter or leave the filter as created or deleted.',
  since: 'The number of the last event you received. You can send `last-event-id` instead.',
  dialect: 'The dialect of the answer, for clients that cannot send headers.',
  ticket: 'A ticket, for clients that cannot send headers.',
})

/** Spec, "Realtime"; contract 9. The WebSocket is mounted separately. */
export const realtimeRoutes = [
  route({
    id: 'realtime.sse',
    summary: 'Stream the changes of a collection as server-sent events.',
    method: 'get',
    paths: { any: ['/realtime/sse/:collection'] },
    needs: 'caller',
    scope: 'in collection',
    takesTicket: true,
    query: streamQuery,
    reply: 'events',
    async handle(ctx, { params, query, dialect, headers, stream }) {
      const filters = await readJsonFilters(query.filters)
      return stream(ctx, {
        collection: params.collection,
        ...{ where: decodeFilters(dialect, filters), filters },
        isLive: readLive(query.live),
        since: readSince(headers['last-event-id'] ?? query.since),
      })
    },
  }),
  route({
    id: 'realtime.ticket',
    summary: 'Get a ticket that opens one stream within a minute, for EventSource in a browser.',
    method: 'post',
    paths: { any: ['/realtime/tickets'] },
    needs: 'caller',
    // The scope is checked when the stream opens its collection.
    scope: 'none',
    isReading: true,
    status: 201,
    reply: 'ticket',
    handle: (ctx) => newTicket(ctx),
  }),
]

async function readJsonFilters(text = '{}'): Promise<JsonObject> {
  return parseMeasured(Buffer.from(text)).catch(() => {
    throw badParameter('filters', '"filters" must be a JSON object of fields and values.', 'INVALID_FILTER')
  })
}

function readLive(text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw badParameter('live', `"live" must be true or false, not "${text.slice(0, 40)}".`)
}

function readSince(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header)
  throw badParameter('since', '"since" must be the number of an event.')
}
