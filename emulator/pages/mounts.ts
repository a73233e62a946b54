/** The folders of files that the emulator serves, each below a path. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ownFolder } from '../own-folder.js'

export interface StaticMount {
  /** What the addresses of its files begin with, such as `/_svc`. Of two that fit, the longer one counts. */
  readonly path: string
  readonly folder: string
  /** What its pages may load and do. */
  readonly contentSecurityPolicy: string
  readonly cacheControl: string
  /** Whether a page that is not there is answered with `index.html`, whose script knows what to show. */
  readonly isSinglePage?: boolean
}

/**
 * What the build makes of `dashboard/`. In the package it stands beside the emulator; where the sources are run, it is in
 * `dist`, whose folders are the same.
 */
const dashboardFolder = [new URL('../dist/dashboard/', ownFolder), new URL('../dashboard/', ownFolder)].map((url) =>
  fileURLToPath(url),
)

/**
 * Scripts and styles come from here and from nowhere else, and nothing is evaluated. Positions of rows and widths of bars
 * are styles of elements. The page holds no key, since every process on this machine may open it.
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
    // Their names say what is in them.
    {
      ...common,
      path: '/_svc/assets',
      folder: `${folder}assets`,
      cacheControl: 'public, max-age=31536000, immutable',
    },
  ]
}

export const staticMounts: readonly StaticMount[] = dashboardMounts()
