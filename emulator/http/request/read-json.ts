/** Reads a JSON object from a request body, and enforces every limit. Contract 2.4, 10.2 and 10.3. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { isObject, type JsonObject } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { isUncounted, pieceBytes } from '../../core/concurrency/memory-budget.js'
import { overLimit, requireStorable } from '../../core/documents/weight.js'
import { openPauses } from '../../core/pauses.js'
import { receiving } from '../requests/record.js'
import type { Incoming } from '../stages.js'
import { openFormSource } from './multipart/form-source.js'
import { parseJsonBytes } from './parse-steps.js'
import { type BatchMember, scanBody } from './scan-json.js'

/** The client disconnected before its body was complete, so no answer is sent. */
export class Aborted extends Error {}

/** More than page forms and bodies without a key need: tokens and passwords. */
const maxFormBytes = 64 * 1024

/** The largest body to process immediately. A larger one waits for memory and a slot. */
const maxBytesAtOnce = 256 * 1024

/** How long a JSON body may take to arrive. */
const maxMilliseconds = 60_000

/** @throws {SvcError} `UNSUPPORTED_MEDIA_TYPE`, and as `parseBody` does */
export async function readJsonObject(incoming: Incoming, { batch, isForAnyone }: JsonReading): Promise<ReadJson> {
  requireJsonType(incoming.req)
  requirePlainEncoding(incoming.req)
  const received = receiving(incoming)
  const bytes = await readBytes(incoming, isForAnyone ? maxFormBytes : sizes.maxBodyBytes)
  received?.(bytes)
  const isLarge = bytes.length > maxBytesAtOnce
  // The parsed value takes several times as much memory.
  if (isLarge) await incoming.room.take()
  return { json: await parseBody(bytes, { batch }), isLarge }
}

interface ReadJson {
  readonly json: JsonObject
  /** Whether it takes long to process. */
  readonly isLarge: boolean
}

interface JsonReading {
  readonly batch?: BatchMember | undefined
  /** Whether the request needs no key, so that nobody can be charged for parsing it. */
  readonly isForAnyone: boolean
}

/**
 * Checks and parses all JSON from outside: bodies, form parts and messages. Measures it before parsing, and handles large ones
 * piece by piece.
 *
 * @throws {SvcError} `PAYLOAD_TOO_LARGE`, `INVALID_BODY`, `VALIDATION_ERROR`
 */
export async function parseBody(bytes: Buffer, how: Reading = {}): Promise<JsonObject> {
  const value = await parseMeasured(bytes, how)
  if (how.batch !== undefined) await requireStorableBatch(value, how.batch)
  else {
    // A document that took long to check will also take long to write.
    const pause = openPauses().after(requireStorable(value))
    if (pause) await pause
  }
  return value
}

interface Reading {
  readonly batch?: BatchMember | undefined
  /** The error for JSON that is not an object. */
  readonly refuseOther?: () => SvcError
}

/** Like `parseBody`, for values that are not stored. */
export async function parseMeasured(
  bytes: Buffer,
  { batch, refuseOther = notAnObject }: Reading = {},
): Promise<JsonObject> {
  const json = requireUtf8(bytes)
  const value = await parseJsonBytes(json, await scanBody(json, batch))
  if (!isObject(value)) throw refuseOther()
  return value
}

/** Walks each document in one turn, and a batch in several. */
async function requireStorableBatch(body: JsonObject, batch: BatchMember): Promise<void> {
  const { [batch]: members = null, ...rest } = body
  requireStorable(rest)
  if (typeof members !== 'object' || members === null) return void requireStorable({ [batch]: members })
  const pauses = openPauses()
  for (const [name, member] of Array.isArray(members) ? members.entries() : Object.entries(members)) {
    const isDocument = isObject(member)
    // Checks names with their values, except for documents, which are walked separately to remember their measures.
    if (!isDocument || typeof name === 'string') requireStorable({ [name]: isDocument ? null : member }, [batch])
    const pause = isDocument && pauses.after(requireStorable(member, [batch, name]))
    if (pause) await pause
  }
}

/**
 * Reads a posted page form as an object of texts.
 *
 * @throws {SvcError} as `readJsonObject` does
 */
export async function readForm(incoming: Incoming): Promise<JsonObject> {
  const { req } = incoming
  const type = (req.headers['content-type'] ?? '').replace(/;.*/, '').trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new SvcError('UNSUPPORTED_MEDIA_TYPE', 'Send "application/x-www-form-urlencoded".')
  }
  const received = receiving(incoming)
  const bytes = await readBytes(incoming, maxFormBytes)
  received?.(bytes)
  const form: JsonObject = Object.fromEntries(new URLSearchParams(decodeUtf8(bytes)))
  requireStorable(form)
  return form
}

function notAnObject() {
  const issue = { path: [], message: 'expected an object', type: 'object' }
  return new SvcError('VALIDATION_ERROR', 'The body must be a JSON object.', [issue])
}

function requireJsonType({ headers }: IncomingMessage): void {
  const type = headers['content-type']
  const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
  if (type === undefined && isEmpty) return
  if (type !== 'application/json' && !isJsonInUtf8(type ?? '')) {
    const shown = type === undefined ? 'a body without a content type' : `"${type.slice(0, 80)}"`
    throw new SvcError('UNSUPPORTED_MEDIA_TYPE', `Send "application/json" in UTF-8 instead of ${shown}.`)
  }
}

/** @throws {SvcError} `UNSUPPORTED_MEDIA_TYPE` */
export function requirePlainEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new SvcError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a content encoding.')
  }
}

function isJsonInUtf8(type: string): boolean {
  const [name = '', ...parameters] = type.toLowerCase().split(';')
  const [, charset = 'utf-8'] = /charset="?([^";]+)"?/.exec(parameters.join(';')) ?? []
  return name.trim() === 'application/json' && charset.trim() === 'utf-8'
}

function readBytes({ req, held }: Incoming, maxBytes: number): Promise<Buffer> {
  // A chunked body can arrive in millions of pieces.
  const source = req.headers['transfer-encoding'] === undefined ? req : openFormSource(req)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    /** Counts the original chunks, because each costs time even if they are joined. */
    let pieces = 0
    let isRefused = false
    const weigh = () => bytes + pieceBytes * pieces
    const timer = setTimeout(() => req.destroy(), maxMilliseconds)

    function refuse(error: SvcError) {
      isRefused = true
      chunks.length = 0
      reject(error)
    }

    if (req.destroyed && !req.readableEnded) reject(new Aborted())
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) refuse(tooLong(maxBytes))
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      pieces++
      if (bytes > maxBytes && !isRefused) refuse(tooLong(maxBytes))
      // Nearly all bodies are this small.
      if (!isRefused && !isUncounted(weigh())) held.begin(refuse).hold(weigh())
    })
    source.on('data', (chunk: Buffer) => {
      if (!isRefused) chunks.push(chunk)
    })
    source.on('end', () => {
      clearTimeout(timer)
      held.settle()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    req.on('error', () => reject(new Aborted()))
    req.on('close', () => {
      clearTimeout(timer)
      if (!req.readableEnded) reject(new Aborted())
    })
  })
}

function tooLong(maxBytes: number): SvcError {
  return overLimit('body bytes', maxBytes, `The body is too large (max ${formatBytes(maxBytes)}).`)
}

/** @throws {SvcError} `INVALID_BODY` */
export function decodeUtf8(bytes: Buffer): string {
  return requireUtf8(bytes).toString('utf8')
}

/**
 * Strips the byte order mark.
 *
 * @throws {SvcError} `INVALID_BODY`
 */
function requireUtf8(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw new SvcError('INVALID_BODY', 'The body is not valid UTF-8.')
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
