/** The folders of files that the emulator serves, each below a path. */
import { fileURLToPath } from 'node:url'

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

/** Where the dashboard is going to be. The page holds no key, since anybody on this machine may open it. */
const placeholder: StaticMount = {
  path: '/_svc',
  folder: fileURLToPath(new URL('./placeholder/', import.meta.url)),
  contentSecurityPolicy:
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  cacheControl: 'no-store',
}

export const staticMounts: readonly StaticMount[] = [placeholder]
