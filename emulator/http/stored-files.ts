/** Serves files at their public addresses: without a key, and never as active content in a browser. Contract 8.3. */
import { SvcError } from '../../client/protocol/model/errors.js'
import type { FileRecord } from '../../client/protocol/model/file.js'
import type { ProjectSettings } from '../../client/protocol/model/project.js'
import { parseDialect } from '../../client/protocol/wire/dialects.js'
import { getPublicFile } from '../core/files/files.js'
import { downloadType, isInert } from '../core/files/mime-types.js'
import { requireNamedOrigin } from './guards/known-origins.js'
import type { HttpContext } from './http-context.js'
import type { Outgoing } from './reply/reply-form.js'
import { answerFile } from './reply/served-file.js'
import { readableDialect } from './reply/spoken-dialect.js'
import type { Incoming, Reach } from './stages.js'
import { requireAllowedOrigin } from './steps/admit.js'

export const storedFilePath = '/files/:id/:name'

/** A file never changes but can be deleted, so caches have to revalidate. */
const cacheControl = 'public, max-age=0, must-revalidate'

/** Lets a displayed file use its own styles and media, but run nothing. */
const shownPolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"

/**
 * @throws {SvcError} `NOT_FOUND`, also if its bytes are gone; `ORIGIN_NOT_ALLOWED`; `UNAVAILABLE` while the store does not
 * answer
 */
export async function serveStoredFile(http: HttpContext, incoming: Incoming, reach: Reach): Promise<Outgoing> {
  const { req, params } = incoming
  const { id = '', name = '' } = params
  requireNamedOrigin(req)
  const { file, settings } = await getPublicFile(http.backend, id, name)
  const dialect = readableDialect(incoming, parseDialect(settings.dialect))
  const allowed = requireAllowedOrigin(http, { ...incoming, dialect }, settings, reach)

  return answerFile(allowed, reach, {
    size: file.size,
    // The bytes of an id never change.
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

/** Our choice: 404, as for a deleted file. A 503 would promise that retrying helps. */
function bytesAreGone(): SvcError {
  return new SvcError(
    'NOT_FOUND',
    'The bytes of this file are missing from storage. Restore them from a backup, or delete the file.',
  )
}

/** Headers for answers that contain bytes. */
function describing(
  { name, mimeType }: FileRecord,
  { inlineFiles }: Pick<ProjectSettings, 'inlineFiles'>,
): Record<string, string> {
  const isShown = inlineFiles === 'any' || isInert(mimeType)
  // Chromium refuses to show PDFs in a sandbox, because its viewer needs to run there.
  const type = isShown ? mimeType : downloadType(mimeType)
  const sandbox = mimeType === 'application/pdf' ? '' : '; sandbox'
  return {
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-disposition': disposition(isShown ? 'inline' : 'attachment', name),
    'content-security-policy': shownPolicy + sandbox,
    'cross-origin-resource-policy': 'cross-origin',
  }
}

/**
 * Writes a plain name for every client and the real one next to it, as in RFC 6266 and 8187. Removes characters that reverse
 * the direction of text.
 */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const clean = name.replaceAll(/\p{Bidi_Control}/gu, '') || 'file'
  const plain = clean.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(clean).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return plain === clean ? `${kind}; filename="${plain}"` : `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
