/** Sends an answer: its headers, and its body or stream. */
import type { ServerResponse } from 'node:http'
import type { Fault } from '../../../client/protocol/model/faults/fault.js'
import type { Strike } from '../../core/faults/faults.js'
import { endFaultily } from '../faults/answer-faultily.js'
import { activeFaults, faultHeaders } from '../faults/apply-faults.js'
import type { HttpContext } from '../http-context.js'
import type { Stream } from '../realtime/sse.js'
import type { Captured } from '../requests/capture.js'
import type { Answered, Incoming } from '../stages.js'
import { dialectHeaders } from './spoken-dialect.js'
import { answerWhileSending, isSending } from './unread-bodies.js'
import { countBytes, endWith, type Text } from './write-steps.js'

/** The answer as it was sent, unless it was aborted. */
export type Sent = Pick<Captured, 'answer' | 'error'>

export async function send(http: HttpContext, res: ServerResponse, { known, answer, error }: Answered): Promise<Sent> {
  const { req, id, dialect, room } = known
  const isStream = 'open' in answer
  const isEarly = !isStream && isSending(req)
  const isBodiless = answer.status === 204 || answer.status === 304 || isStream
  const sendsBody = !isBodiless && req.method !== 'HEAD'
  const faults = faultsInAnswer(known.faults, isStream, sendsBody)
  // Once per answer: counting a large text takes milliseconds.
  const bytes = isStream ? 0 : countBytes(answer.body)
  const headers = {
    'cache-control': 'no-store',
    ...answer.headers,
    ...known.headers,
    ...faultHeaders(known.faults),
    ...dialectHeaders(dialect),
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    ...(isEarly ? { connection: 'close' } : {}),
    ...(isBodiless ? {} : { 'content-length': bytes }),
  }
  room.keep(bytes)
  res.writeHead(answer.status, headers)
  if ('open' in answer) {
    openStream(http, known, res, answer, faults)
    return { answer: { status: answer.status, headers, body: null }, error }
  }
  if (isEarly) sendEarly(http, known, res, sendsBody ? { text: answer.body, bytes } : { text: '', bytes: 0 })
  else if (sendsBody) await sendBody(http, known, res, { text: answer.body, bytes }, faults)
  else res.end()
  return { answer: { status: answer.status, headers, body: isBodiless ? '' : answer.body }, error }
}

function faultsInAnswer(faults: readonly Strike[], isStream: boolean, sendsBody: boolean): readonly Fault[] {
  if (isStream) return activeFaults(faults, ['stall'])
  return sendsBody ? activeFaults(faults, ['slow', 'cut']) : []
}

interface Body {
  readonly text: Text
  readonly bytes: number
}

function sendBody(
  { readers }: HttpContext,
  { room }: Incoming,
  res: ServerResponse,
  { text, bytes }: Body,
  faults: readonly Fault[],
): Promise<void> {
  const sending = faults.length > 0 ? endFaultily(res, text, faults) : endWith(res, text)
  // Nearly every answer is taken at once, so it needs no watching.
  if (res.writableLength > 0 || !res.writableEnded) readers.watch(res, room, bytes)
  return sending
}

function sendEarly({ readers }: HttpContext, { room }: Incoming, res: ServerResponse, { text, bytes }: Body): void {
  answerWhileSending(res, text)
  readers.watch(res, room, bytes)
}

/** The approximate read-ahead of a file download. With the limit on files, it also bounds open descriptors. */
const streamBytes = 64 * 1024

/** Flushes the headers first, as one text. Otherwise Node holds them in some fifty pieces for as long as the answer lasts. */
function openStream(
  { chunks, readers }: HttpContext,
  { room }: Incoming,
  res: ServerResponse,
  stream: Stream,
  faults: readonly Fault[],
): void {
  res.flushHeaders()
  // A fault silences the stream. It still ends like any other.
  if (faults.length > 0) res.write = () => true
  stream.open(res)
  if (stream.hasBackpressure) chunks.release(res.req.socket)
  else readers.watch(res, room, streamBytes, 'file')
}
