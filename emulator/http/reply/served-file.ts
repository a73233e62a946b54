/** Answers with a file: whole, in part, or 304 for a client that has it cached. RFC 9110, 13 and 14. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { hasVersion } from '../request/preconditions.js'
import { Aborted } from '../request/read-json.js'
import type { Incoming, Reach } from '../stages.js'
import { type PartOfFile, readRange } from './ranges.js'
import type { Outgoing } from './reply-form.js'

export interface ServedFile {
  readonly size: number
  readonly etag: string
  readonly modifiedAt: string
  /** Headers for every answer about the file. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers for answers that contain bytes of it. */
  readonly describing: Readonly<Record<string, string>>
  /** Reads a part, or everything. */
  read(part: PartOfFile | undefined): Promise<Readable>
  /** Fails as `read` would, for HEAD requests. Omitted if the bytes are sure to exist. */
  requireBytes?(): Promise<void>
}

/** @throws {SvcError} `INVALID_RANGE` */
export async function answerFile(known: Incoming, reach: Reach, file: ServedFile): Promise<Outgoing> {
  const { req } = known
  const { size, etag, modifiedAt } = file
  const headers = {
    etag,
    'last-modified': new Date(modifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...file.headers,
  }
  if (isKnown(req.headers, file)) return { status: 304, headers, body: '' }
  const part = readRange(req.headers, file)
  if (part === 'nowhere') {
    reach({ ...known, headers: { ...known.headers, 'accept-ranges': 'bytes', 'content-range': `bytes */${size}` } })
    throw new SvcError('INVALID_RANGE', `The range is outside the file, which has ${size} bytes.`)
  }
  const described = { ...headers, ...file.describing }
  const answer = part === 'whole' ? whole(described, size) : partial(described, size, part)
  if (req.method === 'HEAD') {
    await file.requireBytes?.()
    return { ...answer, open: (res) => void res.end() }
  }
  const bytes = await file.read(part === 'whole' ? undefined : part)
  if (req.socket.destroyed) {
    bytes.destroy()
    throw new Aborted()
  }
  return { ...answer, open: (res) => send(bytes, res) }
}

/** Destroys the connection if the client leaves or the bytes end early. The client can tell from the length. */
function send(bytes: Readable, res: ServerResponse): void {
  pipeline(bytes, res, (error) => {
    if (error) res.destroy()
  })
}

function whole(headers: Record<string, string>, size: number) {
  return { status: 200, headers: { ...headers, 'content-length': String(size) } }
}

function partial(headers: Record<string, string>, size: number, { first, last }: PartOfFile) {
  return {
    status: 206,
    headers: {
      ...headers,
      'content-range': `bytes ${first}-${last}/${size}`,
      'content-length': String(last - first + 1),
    },
  }
}

function isKnown(headers: IncomingHttpHeaders, { etag, modifiedAt }: ServedFile): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return hasVersion(tags, etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return Math.floor(Date.parse(modifiedAt) / 1_000) * 1_000 <= since
}
