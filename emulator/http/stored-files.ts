/** The public addresses of files: bytes without a key, and nothing that runs in a browser. Contract 8.3. */
import { SvcError } from '../../client/protocol/model/errors.js'
import type { FileRecord } from '../../client/protocol/model/file.js'
import type { ProjectSettings } from '../../client/protocol/model/project.js'
import { parseDialect } from '../../client/protocol/wire/dialects.js'
import { getPublicFile } from '../core/files/files.js'
import { downloadType, isInert } from '../core/files/mime-types.js'
import type { Exchange, HttpContext, Outgoing } from './exchange.js'
import { requireNamedOrigin } from './guards/known-origins.js'
import { originHeaders, requireOrigin } from './guards/origins.js'
import { answerFile } from './reply/served-file.js'
import { speakAnyway } from './reply/spoken-dialect.js'

export const storedFilePath = '/files/:id/:name'

/** What an address answers never changes, but it can end: caches revalidate whether it is still there. */
const cacheControl = 'public, max-age=0, must-revalidate'

/** A file shown in a browser may look as it likes, load what is itself, and run nothing. */
const shownPolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"

/** @throws {SvcError} `NOT_FOUND`, also where its bytes are gone; `ORIGIN_NOT_ALLOWED`, `UNAVAILABLE` while the store does not answer */
export async function serveStoredFile(http: HttpContext, exchange: Exchange): Promise<Outgoing> {
  const { req, params } = exchange
  const { id = '', name = '' } = params
  const { origin, host } = req.headers
  const { isOpenTo } = http
  requireNamedOrigin(req)
  const { file, settings } = await getPublicFile(http.backend, id, name)
  speakAnyway(exchange, parseDialect(settings.dialect))
  exchange.headers = originHeaders(undefined)
  requireOrigin(origin, host, { allowed: settings.allowedOrigins, isOpenTo })
  exchange.headers = originHeaders(origin)

  return answerFile(exchange, {
    size: file.size,
    // Bytes under an id never change.
    etag: `"${file.id}"`,
    modifiedAt: file.createdAt,
    headers: { 'cache-control': cacheControl },
    describing: describing(file, settings),
    async read(part) {
      const bytes = await http.backend.files.read(id, part)
      if (!bytes) throw bytesAreGone()
      return bytes
    },
    async requireBytes() {
      if (!(await http.backend.files.has(id))) throw bytesAreGone()
    },
  })
}

/** Our choice: 404, as of what was deleted. No retry brings them back, which 503 would promise. */
function bytesAreGone(): SvcError {
  return new SvcError(
    'NOT_FOUND',
    'The bytes of this file are gone, though it is known. Bring them back from a backup, or delete the file.',
  )
}

/** What an answer that has bytes says of them. */
function describing(
  { name, mimeType }: FileRecord,
  { inlineFiles }: Pick<ProjectSettings, 'inlineFiles'>,
): Record<string, string> {
  const isShown = inlineFiles === 'any' || isInert(mimeType)
  // Chromium shows no PDF in a sandbox; its viewer is one.
  const type = isShown ? mimeType : downloadType(mimeType)
  const sandbox = mimeType === 'application/pdf' ? '' : '; sandbox'
  return {
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-disposition': disposition(isShown ? 'inline' : 'attachment', name),
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
