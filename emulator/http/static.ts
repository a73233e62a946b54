/** Files of folders, each folder below a path of its own and under a policy of its own. */
import { realpath, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import express, { type Express, type Request, type Response } from 'express'
import type { StaticMount } from '../pages/mounts.js'
import type { Door, Serve } from './exchange.js'
import { requireNamedOrigin } from './guards/known-origins.js'
import { refuseOtherMethods, refusePath } from './places.js'
import { run } from './run.js'

/** Mounts folders. A path that two of them begin belongs to the longer one, whether the file is there or not. */
export function mountFolders(app: Express, door: Door, mounts: readonly StaticMount[]): void {
  const longestFirst = [...mounts].sort((one, other) => other.path.length - one.path.length)
  for (const mount of longestFirst) {
    // An app of its own, since Express tags what it sends only where the app does.
    const files = express().disable('x-powered-by')
    files.use((req, res) => serveFile(door, mount, req, res))
    app.use(mount.path, files)
  }
}

async function serveFile(door: Door, mount: StaticMount, req: Request, res: Response): Promise<void> {
  const answer = (serve: Serve) => run(door, mount.path, serve, req, res)
  const refuse = () => answer((exchange) => refusePath(door, exchange))
  if (!isAllowed(door, req)) return refuse()
  const file = await fileAt(mount, req.path, req.headers.accept)
  if (file === undefined) return refuse()
  if (req.method !== 'GET' && req.method !== 'HEAD') return answer((exchange) => refuseOtherMethods(door, exchange))
  const headers = {
    'content-security-policy': mount.contentSecurityPolicy,
    'cache-control': mount.cacheControl,
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  }
  res.sendFile(file, { cacheControl: false, dotfiles: 'allow', headers }, (error) => {
    if (error) endFailed(res, error)
  })
}

/** Where it is not, the refusal that follows says why. */
function isAllowed(door: Door, req: IncomingMessage): boolean {
  try {
    door.requireHost(req.headers.host)
    requireNamedOrigin(req)
    return true
  } catch {
    return false
  }
}

/** A range that the file does not have is 416. Whatever else fails, the file or its reader has gone. */
function endFailed(res: ServerResponse, error: Error & { readonly status?: number }): void {
  if (res.headersSent || error.status !== 416) res.destroy()
  else res.writeHead(416).end()
}

/** The file that a path means: one below the folder, or the page that stands for all pages. */
async function fileAt(
  { folder, isSinglePage = false }: StaticMount,
  path: string,
  accept = '',
): Promise<string | undefined> {
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
async function ownFile(folder: string, parts: readonly string[]): Promise<string | undefined> {
  try {
    const path = join(await realpath(folder), ...parts)
    if ((await realpath(path)) !== path) return undefined
    const found = await stat(path)
    if (found.isFile()) return path
    return found.isDirectory() ? await ownFile(folder, [...parts, 'index.html']) : undefined
  } catch {
    return undefined
  }
}
