/** Replays a recorded request through the normal HTTP interface. */
import type { ClientRequest, RequestOptions } from 'node:http'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { Backend } from '../../core/context.js'
import { actAs } from '../../core/requests/act-as.js'
import type { KeptRequest, Replay } from '../../core/requests/request-log.js'
import { mask } from './masking.js'
import { type Edits, hasCredentials, replayHeader, whyNoReplay } from './replayable.js'

// An `import` would also load `fetch` from Node 22 on. Decision 65.
const { request: openRequest } = process.getBuiltinModule('node:http')

/** Headers that belong to the connection or follow from the body. */
const ofConnection = ['connection', 'keep-alive', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'te']

/** With this header, the service would repeat its first answer and refuse another body. */
const ofFirstTime = 'idempotency-key'

const maxMilliseconds = 60_000
const maxRecordingMilliseconds = 1_000

/**
 * Sends the request again and returns the new record.
 *
 * @throws {SvcError} `CONFLICT` if it cannot be replayed, `UNAVAILABLE`
 */
export async function sendReplay(backend: Backend, kept: KeptRequest, edits: Edits): Promise<KeptRequest> {
  const why = whyNoReplay(kept, edits)
  if (why !== undefined) throw new SvcError('CONFLICT', `Request "${kept.id}" cannot be replayed. ${why}`)
  return actAs(backend, kept, (identity) => {
    const replay = { of: kept.id, identity: hasCredentials(edits) ? undefined : identity }
    return sent(backend, kept, edits, replay)
  })
}

function sent(
  { about, requests }: Backend,
  kept: KeptRequest,
  edits: Edits,
  replay: Omit<Replay, 'recorded'>,
): Promise<KeptRequest> {
  return new Promise((resolve, reject) => {
    const secret = requests.replays.add({ ...replay, recorded: resolve })
    const giveUp = (error: unknown) => {
      requests.replays.take(secret)
      // If it was recorded as aborted, that is its outcome.
      setTimeout(reject, maxRecordingMilliseconds, unanswered(error)).unref()
    }
    const body = edits.body ?? kept.body.content ?? undefined
    const outgoing = open(about.listensAt(), {
      method: edits.method ?? kept.method,
      path: edits.path ?? kept.url,
      headers: { ...buildHeaders(kept, edits), ...contentLength(body), [replayHeader]: secret },
    })
    outgoing.on('response', (answer) => answer.resume().on('close', giveUp))
    outgoing.on('timeout', () => outgoing.destroy(new Error('The request timed out.')))
    outgoing.on('error', giveUp)
    outgoing.end(body)
  })
}

/** @throws {SvcError} `VALIDATION_ERROR` for an invalid path or header */
function open(url: string, options: RequestOptions): ClientRequest {
  try {
    return openRequest(new URL(url), { ...options, agent: false, timeout: maxMilliseconds })
  } catch (cause) {
    throw new SvcError(
      'VALIDATION_ERROR',
      'The path or a header contains characters that a request may not contain.',
      [],
      { cause },
    )
  }
}

function buildHeaders(kept: KeptRequest, { headers: edits = {} }: Edits): Record<string, string> {
  const headers = new Map(Object.entries(kept.headers).filter(([, value]) => !value.includes(mask)))
  headers.delete(ofFirstTime)
  for (const [name, value] of Object.entries(edits)) {
    if (value === null) headers.delete(name.toLowerCase())
    else headers.set(name.toLowerCase(), value)
  }
  for (const name of ofConnection) headers.delete(name)
  return Object.fromEntries(headers)
}

function contentLength(body: string | Buffer | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

function unanswered(cause: unknown): SvcError {
  return new SvcError('UNAVAILABLE', 'The replayed request was not answered.', [], { cause })
}
