/** Handles the messages of `/realtime/collections/<name>`, whose first frame authenticates and subscribes. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import { axes } from '../../../client/protocol/wire/axes.js'
import { decodeFilters } from '../../../client/protocol/wire/query/decode.js'
import { encodeCollectionFrame } from './frames.js'
import { readCode, readMessage, takeIdentity, untilBegun } from './socket-messages.js'
import { closes, type SocketProtocol, type SocketState, sendBytes, sendFailure, sendMessage } from './socket-state.js'

const firstFrame = 'Send {"api_key": "…"} as the first message.'

export function openCollectionProtocol(collection: string): SocketProtocol {
  let isBegun = false
  return {
    late: { error: firstFrame },
    failure: ({ code, message }) => ({ error: message, error_detail: code }),
    async handle(state, text) {
      if (isBegun) return answerPing(state, text)
      isBegun = true
      try {
        await begin(state, collection, text)
      } catch (error) {
        state.http.backend.connections.refused(state.listed, readCode(error), collection)
        end(state, error)
      }
    },
  }
}

/** Ignores every other message. */
function answerPing(state: SocketState, text: string | undefined): void {
  if (text === 'ping' || (text !== undefined && /^\s*\{\s*"type"\s*:\s*"ping"\s*\}\s*$/.test(text)))
    sendMessage(state, { event: 'pong' })
}

async function begin(state: SocketState, collection: string, text: string | undefined): Promise<void> {
  const message = text === undefined ? undefined : await readMessage(text)
  if (!message) throw new SvcError('INVALID_MESSAGE', firstFrame)
  await takeIdentity(state, message.api_key, () => undefined)
  const { identity, transport } = state
  // There were too many connections.
  if (!identity) return
  const filters = readFilters(message)
  const request = { collection, where: decodeFilters(state.dialect, filters), filters, isLive: false, since: undefined }
  const asker = { identity: () => state.identity ?? identity, transport }
  const hasFilters = Object.keys(filters).length > 0
  const { tells } = axes.refusals[state.dialect.refusals]
  await untilBegun(state, asker, request, {
    begun: () =>
      sendMessage(state, {
        ...{ event: 'connected', collection_id: collection },
        ...(hasFilters ? { filters } : {}),
      }),
    event(change, kind, of) {
      if (!tells(kind, hasFilters)) return
      sendBytes(state, encodeCollectionFrame(change, kind, { name: of.name, as: collection }, state.dialect))
    },
    live: () => undefined,
    // The client has no message for missed events, but reads everything again after it reconnects.
    resync: () => state.socket.close(closes.tryAgainLater, 'connect again'),
    ended: (why) => end(state, why),
  })
}

function readFilters({ filters }: JsonObject): JsonObject {
  if (filters === undefined || filters === null) return {}
  if (isObject(filters)) return filters
  throw new SvcError('INVALID_FILTER', '"filters" must be an object of fields and values.')
}

function end(state: SocketState, error: unknown): void {
  sendFailure(state, error)
  state.socket.close(closes.policy, 'refused')
}
