/** Serves folders of files, each with its own path and policy. */
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Express, Request, Response } from 'express'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { StaticMount } from '../pages/mounts.js'
import { requireKnownOrigin, requireNamedOrigin } from './guards/known-origins.js'
import type { HttpContext } from './http-context.js'
import { refuseOtherMethods, refusePath } from './places.js'
import type { Outgoing } from './reply/reply-form.js'
import { answerFile } from './reply/served-file.js'
import { namedDialect, withDialect } from './reply/spoken-dialect.js'
import { run } from './run.js'
import type { Incoming, Reach } from './stages.js'

/** Mounts folders. If a path is below two of them, the longer one takes it, whether or not it has the file. */
export function mountFolders(app: Express, http: HttpContext, mounts: readonly StaticMount[]): void {
  const longestFirst = [...mounts].sort((one, other) => other.path.length - one.path.length)
  for (const mount of longestFirst) {
    app.use(mount.path, (req, res) => serveFile(http, mount, req, res))
  }
}

function serveFile(http: HttpContext, mount: StaticMount, req: Request, res: Response): Promise<void> {
  const { path } = req
  // Restores the full path, because Express strips the mount path and a refusal names the whole one.
  req.url = req.originalUrl
  return run(http, mount.path, (incoming, reach) => answerPath(http, mount, { path, res, incoming, reach }), req, res)
}

interface FolderRequest {
  /** Below the mount. */
  readonly path: string
  readonly res: Response
  readonly incoming: Incoming
  readonly reach: Reach
}

async function answerPath(
  http: HttpContext,
  mount: StaticMount,
  { path, res, incoming, reach }: FolderRequest,
): Promise<Outgoing> {
  const { req } = incoming
  requireNamedOrigin(req)
  const file = await fileAt(mount, path, req.headers.accept)
  if (file === undefined) {
    await requireMounted(http, mount, incoming)
    return refusePath(http, incoming, reach)
  }
  if (req.method !== 'GET' && req.method !== 'HEAD') return refuseOtherMethods(http, incoming, reach)
  await requireKnownOrigin(http, req)
  const known = withDialect(http, incoming, await namedDialect(http, incoming), reach)
  return answerFile(known, reach, {
    size: file.size,
    etag: `"${file.size.toString(16)}-${file.modifiedAt.getTime().toString(16)}"`,
    modifiedAt: file.modifiedAt.toISOString(),
    headers: {
      'content-security-policy': mount.contentSecurityPolicy,
      'cache-control': mount.cacheControl,
      'referrer-policy': 'same-origin',
    },
    describing: { 'content-type': contentType(file.path, res) },
    read: async (part) => createReadStream(file.path, part && { start: part.first, end: part.last }),
  })
}

/**
 * Reports and logs a folder that was not built or not installed.
 *
 * @throws {SvcError} `NOT_FOUND`
 */
async function requireMounted({ log }: HttpContext, { path, folder }: StaticMount, { id }: Incoming): Promise<void> {
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory()) return
  log.failure(id, new Error(`The folder of "${path}" is missing: ${folder}`))
  throw new SvcError('NOT_FOUND', `The files of "${path}" are missing in this installation. See the log for "${id}".`)
}

/** Uses the table of types in Express. */
function contentType(path: string, res: Response): string {
  const type = String(res.type(extname(path)).getHeader('content-type'))
  res.removeHeader('content-type')
  return type
}

interface FoundFile {
  readonly path: string
  readonly size: number
  readonly modifiedAt: Date
}

/** Finds the file for a path: one in the folder, or the index page of a single-page app. */
async function fileAt(
  { folder, isSinglePage = false }: StaticMount,
  path: string,
  accept = '',
): Promise<FoundFile | undefined> {
  const parts = splitPath(path)
  if (parts === undefined) return undefined
  const isPage = isSinglePage && accept.includes('text/html')
  return (await ownFile(folder, parts)) ?? (isPage ? ownFile(folder, []) : undefined)
}

/** Splits a path into names. Returns undefined for a path that could leave the folder or reach hidden files. */
function splitPath(path: string): string[] | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  try {
    const names = parts.map(decodeURIComponent)
    return names.every((name) => /^[^./\\:][^/\\:]*$/.test(name)) ? names : undefined
  } catch {
    return undefined
  }
}

/** Finds the file without following symbolic links, which could lead anywhere. A folder means its `index.html`. */
async function ownFile(folder: string, parts: readonly string[]): Promise<FoundFile | undefined> {
  try {
    const path = join(await realpath(folder), ...parts)
    if ((await realpath(path)) !== path) return undefined
    const found = await stat(path)
    if (found.isFile()) return { path, size: found.size, modifiedAt: found.mtime }
    return found.isDirectory() ? await ownFile(folder, [...parts, 'index.html']) : undefined
  } catch {
    return undefined
  }
}
