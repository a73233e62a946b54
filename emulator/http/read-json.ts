/** A body from bytes to a JSON object, with every limit on the way. Contract 2.4, 10.2 and 10.3. */
import type { IncomingMessage } from 'node:http'
import { plainError } from '../../client/model/error-words.js'
import { SvcError } from '../../client/model/errors.js'
import { formatBytes } from '../../client/model/figures.js'
import { isObject, type JsonObject } from '../../client/model/json.js'
import { sizes } from '../../client/model/limits.js'
import { tooDeep } from '../core/weight.js'
import { requireStorable } from './check-json.js'

/** The request went away before its body was there; nobody waits for an answer. */
export class Aborted extends Error {}

/** A batch wraps its documents in three levels of its own: `{documents: [{data: …}]}`. */
const mostBodyDepth = sizes.mostDocumentDepth + 3

/** What a sender may still push after its answer is decided, so that it can read the answer. */
export const mostDrainedBytes = 8 * sizes.mostBodyBytes

/** Nobody types more into a page. */
const mostFormBytes = 64 * 1024

/** How long a body of JSON may be on its way. */
const mostMilliseconds = 60_000

/** @throws {SvcError} `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_BODY`, `VALIDATION_ERROR` */
export async function readJsonObject(req: IncomingMessage): Promise<JsonObject> {
  requireJsonType(req)
  requirePlainEncoding(req)
  return parseJsonObject(decodeUtf8(await readBytes(req)))
}

/** A JSON object from its text. @throws {SvcError} `PAYLOAD_TOO_LARGE`, `INVALID_BODY`, `VALIDATION_ERROR` */
export function parseJsonObject(text: string, refuseOther: () => SvcError = notAnObject): JsonObject {
  requireDepth(text)
  const value = parse(text)
  if (!isObject(value)) throw refuseOther()
  requireStorable(value)
  return value
}

/** What the form of a page posts, as an object of texts. @throws {SvcError} as `readJsonObject` does */
export async function readForm(req: IncomingMessage): Promise<JsonObject> {
  const type = (req.headers['content-type'] ?? '').replace(/;.*/, '').trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new SvcError('UNSUPPORTED_MEDIA_TYPE', 'Send "application/x-www-form-urlencoded".')
  }
  const form: JsonObject = Object.fromEntries(new URLSearchParams(decodeUtf8(await readBytes(req, mostFormBytes))))
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
    throw new SvcError('UNSUPPORTED_MEDIA_TYPE', `Send "application/json" in UTF-8 rather than ${shown}.`)
  }
}

/** @throws {SvcError} `UNSUPPORTED_MEDIA_TYPE` */
export function requirePlainEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new SvcError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without a content encoding.')
  }
}

function isJsonInUtf8(type: string): boolean {
  const [name = '', ...parameters] = type.toLowerCase().split(';')
  const [, charset = 'utf-8'] = /charset="?([^";]+)"?/.exec(parameters.join(';')) ?? []
  return name.trim() === 'application/json' && charset.trim() === 'utf-8'
}

function readBytes(req: IncomingMessage, mostBytes: number = sizes.mostBodyBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let isRefused = false
    const timer = setTimeout(() => req.destroy(), mostMilliseconds)

    function refuse() {
      isRefused = true
      chunks.length = 0
      reject(new SvcError('PAYLOAD_TOO_LARGE', `A body is at most ${formatBytes(mostBytes)}.`))
    }

    if (req.destroyed && !req.readableEnded) reject(new Aborted())
    if (Number(req.headers['content-length'] ?? 0) > mostBytes) refuse()
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > mostDrainedBytes) req.destroy()
      else if (bytes > mostBytes && !isRefused) refuse()
      else if (!isRefused) chunks.push(chunk)
    })
    req.on('end', () => {
      clearTimeout(timer)
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    req.on('error', () => reject(new Aborted()))
    req.on('close', () => {
      clearTimeout(timer)
      reject(new Aborted())
    })
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws {SvcError} `INVALID_BODY` */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new SvcError('INVALID_BODY', 'The body is not valid UTF-8.')
  }
}

/** Measures nesting on the text, so that nothing recursive meets what is too deep for it. */
function requireDepth(text: string): void {
  if (text.length <= mostBodyDepth) return
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInText) {
      if (code === backslash) at++
      else if (code === quote) isInText = false
    } else if (code === quote) isInText = true
    else if (code === openBrace || code === openBracket) {
      if (++depth > mostBodyDepth) throw tooDeep()
    } else if (code === closeBrace || code === closeBracket) depth--
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [34, 92, 91, 93, 123, 125]

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw plainError('INVALID_BODY')
  }
}
