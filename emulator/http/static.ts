/** Files of folders, each folder below a path of its own and under a policy of its own. */
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Express, Request, Response } from 'express'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { StaticMount } from '../pages/mounts.js'
import type { Exchange, HttpContext, Outgoing } from './exchange.js'
import { requireKnownOrigin, requireNamedOrigin } from './guards/known-origins.js'
import { refuseOtherMethods, refusePath } from './places.js'
import { answerFile } from './reply/served-file.js'
import { namedDialect, speak } from './reply/spoken-dialect.js'
import { run } from './run.js'

/** Mounts folders. A path that two of them begin belongs to the longer one, whether the file is there or not. */
export function mountFolders(app: Express, http: HttpContext, mounts: readonly StaticMount[]): void {
  const longestFirst = [...mounts].sort((one, other) => other.path.length - one.path.length)
  for (const mount of longestFirst) {
    app.use(mount.path, (req, res) => serveFile(http, mount, req, res))
  }
}

function serveFile(http: HttpContext, mount: StaticMount, req: Request, res: Response): Promise<void> {
  const { path } = req
  // Below a mount Express takes the mount's path off, and a refusal names the whole one.
  req.url = req.originalUrl
  return run(http, mount.path, (exchange) => answerPath(http, mount, { path, res }, exchange), req, res)
}

async function answerPath(
  http: HttpContext,
  mount: StaticMount,
  { path, res }: { path: string; res: Response },
  exchange: Exchange,
): Promise<Outgoing> {
  const { req } = exchange
  requireNamedOrigin(req)
  const file = await fileAt(mount, path, req.headers.accept)
  if (file === undefined) {
    await requireMounted(http, mount, exchange)
    return refusePath(http, exchange)
  }
  if (req.method !== 'GET' && req.method !== 'HEAD') return refuseOtherMethods(http, exchange)
  await requireKnownOrigin(http, req)
  speak(exchange, await namedDialect(http, exchange))
  return answerFile(exchange, {
    size: file.size,
    etag: `"${file.size.toString(16)}-${file.modifiedAt.getTime().toString(16)}"`,
    modifiedAt: file.modifiedAt.toISOString(),
    headers: {
      'content-security-policy': mount.contentSecurityPolicy,
      'cache-control': mount.cacheControl,
      'referrer-policy': 'same-origin',
    },
    describing: { 'content-type': detectType(file.path, res) },
    read: async (part) => createReadStream(file.path, part && { start: part.first, end: part.last }),
  })
}

/** A folder that is missing was not built or not installed, which is said and logged. @throws {SvcError} `NOT_FOUND` */
async function requireMounted({ log }: HttpContext, { path, folder }: StaticMount, { id }: Exchange): Promise<void> {
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory()) return
  log.failure(id, new Error(`The folder of "${path}" is missing: ${folder}`))
  throw new SvcError(
    'NOT_FOUND',
    `The files of "${path}" are missing in this installation; the log has more under "${id}".`,
  )
}

/** Express has the table of types. */
function detectType(path: string, res: Response): string {
  const type = String(res.type(extname(path)).getHeader('content-type'))
  res.removeHeader('content-type')
  return type
}

interface FoundFile {
  readonly path: string
  readonly size: number
  readonly modifiedAt: Date
}

/** The file that a path means: one below the folder, or the page that stands for all pages. */
async function fileAt(
  { folder, isSinglePage = false }: StaticMount,
  path: string,
  accept = '',
): Promise<FoundFile | undefined> {
  const parts = partsOf(path)
  if (parts === undefined) return undefined
  const isPage = isSinglePage && accept.includes('text/html')
  return (await ownFile(folder, parts)) ?? (isPage ? ownFile(folder, []) : undefined)
}

/** The names in a path. A path that could lead out of the folder, or to what is hidden in it, has none. */
function partsOf(path: string): string[] | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  try {
    const names = parts.map(decodeURIComponent)
    return names.every((name) => /^[^./\\:][^/\\:]*$/.test(name)) ? names : undefined
  } catch {
    return undefined
  }
}

/** What is at that place itself: a symbolic link could lead anywhere, so none is followed. A folder means its `index.html`. */
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
