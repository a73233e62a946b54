/** The folders of static files that the emulator serves. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ownFolder } from '../facts/own-folder.js'

export interface StaticMount {
  /** The path prefix of its files, for example `/_svc`. The longest match wins. */
  readonly path: string
  readonly folder: string
  /** Limits what its pages may load and do. */
  readonly contentSecurityPolicy: string
  readonly cacheControl: string
  /** Whether to serve `index.html` for pages that do not exist, so that its script can route. */
  readonly isSinglePage?: boolean
}

/** The built dashboard. The package has it next to the emulator; when run from source, it is in `dist`. */
const dashboardFolder = [new URL('../dist/dashboard/', ownFolder), new URL('../dashboard/', ownFolder)].map((url) =>
  fileURLToPath(url),
)

/**
 * Allows scripts and styles from the dashboard only, and no eval. Row positions and bar widths are inline styles. The
 * page holds no key, because every process on this machine can open it.
 */
const dashboardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function dashboardMounts(): StaticMount[] {
  const folder = dashboardFolder.find((each) => existsSync(`${each}index.html`)) ?? dashboardFolder[0] ?? ''
  const common = { contentSecurityPolicy: dashboardPolicy }
  return [
    { ...common, path: '/_svc', folder, cacheControl: 'no-cache', isSinglePage: true },
    // Cached for ever, because the names contain a hash of the content.
    {
      ...common,
      path: '/_svc/assets',
      folder: `${folder}assets`,
      cacheControl: 'public, max-age=31536000, immutable',
    },
  ]
}

export const staticMounts: readonly StaticMount[] = dashboardMounts()
