/** The public addresses of files: bytes to anybody, without a key, and nothing that a browser would run. Contract 8.3. */
import type { ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { FileRecord } from '../../client/protocol/model/file.js'
import { readDialect } from '../../client/protocol/wire/dialects.js'
import { getPublicFile } from '../core/files/files.js'
import { isInert } from '../core/files/mime-types.js'
import type { Door, Exchange, Outgoing } from './exchange.js'
import { requireNamedOrigin } from './guards/known-origins.js'
import { originHeaders, requireOrigin } from './guards/origins.js'
import { type PartOfFile, readRange } from './reply/ranges.js'
import { speakAnyway } from './reply/spoken-dialect.js'
import { hasAlready } from './request/preconditions.js'
import { Aborted } from './request/read-json.js'

export const storedFilePath = '/files/:id/:name'

/** What an address answers never changes, but it can end: whoever keeps the bytes asks whether they are still there. */
const cacheControl = 'public, max-age=0, must-revalidate'

/** A file shown in a browser may look as it likes, load what is itself, and run nothing. */
const shownPolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"

/** @throws {SvcError} `NOT_FOUND`, `ORIGIN_NOT_ALLOWED`, `UNAVAILABLE` where the bytes are gone */
export async function serveStoredFile(door: Door, exchange: Exchange): Promise<Outgoing> {
  const { req, params } = exchange
  const { id = '', name = '' } = params
  const { origin, host } = req.headers
  const { openToLoopback } = door
  requireNamedOrigin(req)
  const { file, settings } = await getPublicFile(door.backend, id, name)
  speakAnyway(exchange, readDialect(settings.dialect))
  exchange.headers = originHeaders(undefined)
  requireOrigin(origin, host, { allowed: settings.allowedOrigins, openToLoopback })
  exchange.headers = originHeaders(origin)

  const headers = headersOf(file)
  if (isKnown(req.headers, file)) return { status: 304, headers, body: '' }
  const part = readRange(req.headers, { size: file.size, etag: etagOf(file), modifiedAt: file.createdAt })
  if (part === 'nowhere') {
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${file.size}` }, body: '' }
  }
  const answer = part === 'whole' ? whole(file, headers) : partial(file, headers, part)
  if (req.method === 'HEAD') return { ...answer, open: (res) => void res.end() }
  const bytes = await door.backend.files.read(id, part === 'whole' ? undefined : part)
  if (!bytes) throw new SvcError('UNAVAILABLE', 'The bytes of this file are gone.')
  if (req.socket.destroyed) {
    bytes.destroy()
    throw new Aborted()
  }
  return { ...answer, open: (res) => send(bytes, res) }
}

/** A reader who goes away, or bytes that end too early, end the connection: the reader counts what it got. */
function send(bytes: Readable, res: ServerResponse): void {
  pipeline(bytes, res, (error) => {
    if (error) res.destroy()
  })
}

function whole(file: FileRecord, headers: Record<string, string>) {
  return { status: 200, headers: { ...headers, ...describing(file), 'content-length': String(file.size) } }
}

function partial(file: FileRecord, headers: Record<string, string>, { first, last }: PartOfFile) {
  return {
    status: 206,
    headers: {
      ...headers,
      ...describing(file),
      'content-range': `bytes ${first}-${last}/${file.size}`,
      'content-length': String(last - first + 1),
    },
  }
}

/** What every answer about a file says. */
function headersOf(file: FileRecord): Record<string, string> {
  return {
    etag: etagOf(file),
    'last-modified': new Date(file.createdAt).toUTCString(),
    'cache-control': cacheControl,
    'accept-ranges': 'bytes',
  }
}

/** What an answer that has bytes says of them. */
function describing({ name, mimeType }: FileRecord): Record<string, string> {
  // Chromium shows no PDF in a sandbox; its viewer is one.
  const sandbox = mimeType === 'application/pdf' ? '' : '; sandbox'
  return {
    'content-type': mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType,
    'content-disposition': disposition(isInert(mimeType) ? 'inline' : 'attachment', name),
    'content-security-policy': shownPolicy + sandbox,
    'cross-origin-resource-policy': 'cross-origin',
  }
}

/** RFC 6266 and 8187: a name that any header can hold, and the true one beside it. Marks that turn writing around are left out. */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const clean = name.replaceAll(/\p{Bidi_Control}/gu, '') || 'file'
  const plain = clean.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(clean).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return plain === clean ? `${kind}; filename="${plain}"` : `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Bytes under an id never change. */
function etagOf({ id }: FileRecord): string {
  return `"${id}"`
}

function isKnown(headers: Exchange['req']['headers'], file: FileRecord): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return hasAlready(tags, etagOf(file))
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return Math.floor(Date.parse(file.createdAt) / 1_000) * 1_000 <= since
}
