/** Opens the session of the page with its emulator, and creates clients for the owner and for users. */
import { type Control, controlClient } from '../../client/control.js'
import { type AppUser, type Client, createClient, SvcError } from '../../client/index.js'
import { openSender, type Request } from '../../client/send.js'
import { folderHere, type Guard, guardFor } from './guard.js'
import { addressHere } from './here.js'
import { type BrowserStore, type OwnerKey, openBrowserStore, takeToken } from './storage.js'

export type Info = Awaited<ReturnType<Control['info']['get']>>
export type ProjectRecord = Awaited<ReturnType<Control['projects']['get']>>

export interface Session {
  readonly url: string
  readonly folder: string
  readonly info: Info
  readonly project: { readonly id: string; readonly name: string }
  /** The key that apps send. */
  readonly publicKey: string
  readonly ownerKey: OwnerKey
  readonly control: Control
  /** Always calls as the owner. */
  readonly owner: Client
  /** Creates a client that calls as a user. Once the token is no longer valid, it calls with the public key alone. */
  readonly createUserClient: (user: AppUser, token: string, onEnd: () => void) => Client
  readonly guard: Guard
  /** Rewrites an emulator address, such as a file's, to the origin of this page. */
  readonly hereUrl: (address: string) => string
}

/** The session, or the reason why there is none. */
export type Entry =
  | { readonly kind: 'ready'; readonly session: Session }
  | { readonly kind: 'locked'; readonly isWrong: boolean }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** @param onOther called when another emulator answers at this address */
export async function enter(onOther: () => void): Promise<Entry> {
  let folder: string
  try {
    folder = await folderHere()
  } catch {
    return { kind: 'unreachable' }
  }
  const kept = openBrowserStore(folder)
  const brought = takeToken()
  // Ignore the token of another state folder, or one that another website made up.
  const isOurs = brought !== undefined && (await mayMatch(folder, brought))
  const tokens = [...new Set([isOurs ? brought : undefined, kept.token()].filter((token) => token != null))]
  for (const token of tokens) {
    const entry = await open(folder, token, kept, onOther).then(ready, unlessRefused)
    if (entry?.kind === 'ready') kept.keepToken(token)
    if (entry) return entry
    if (token === kept.token()) kept.keepToken(null)
  }
  return { kind: 'locked', isWrong: brought !== undefined || tokens.length > 0 }
}

const ready = (session: Session): Entry => ({ kind: 'ready', session })

/** Returns undefined if the token was refused. */
function unlessRefused(error: unknown): Entry | undefined {
  if (!(error instanceof SvcError)) return { kind: 'failed', error }
  if (error.code === 'NETWORK' || error.code === 'TIMEOUT') return { kind: 'unreachable' }
  return error.status === 401 ? undefined : { kind: 'failed', error }
}

/** Reads are short. Writes, such as loading a snapshot, take longer with more data. */
const maxReadMilliseconds = 30_000
const maxMilliseconds = 600_000

/** Comparing a snapshot reads all of it, so it counts as long. */
function isShort({ method, path }: Request): boolean {
  return method === 'GET' && !path.endsWith('/diff')
}

/** Checks a token against the id of the state folder, which is its hash. Without https or localhost, browsers cannot hash. */
async function mayMatch(folder: string, token: string): Promise<boolean> {
  if (!globalThis.crypto?.subtle) return true
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`folder ${token}`))
  const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.startsWith(folder)
}

async function open(folder: string, token: string, kept: BrowserStore, onOther: () => void): Promise<Session> {
  const url = location.origin
  const guard = guardFor(folder, onOther)
  const once = { url, fetch: guard.fetch, retry: { attempts: 1 } }
  const short = openSender({ ...once, timeout: maxReadMilliseconds })
  const long = openSender({ ...once, timeout: maxMilliseconds })
  const control = controlClient((request) => (isShort(request) ? short : long).send(request), token, long.openStream)
  const info = await control.info.get()
  const { project } = info
  const { keys } = await control.projects.get({ project: project.id })
  const ownerKey = await openOwnerKey(control, project.id, keys, kept)
  const publicKey = keys.find(({ secret, key }) => !secret && key !== null)?.key ?? ''
  const common = { url, fetch: guard.fetch, retry: { attempts: 2 } }
  return {
    ...{ url, folder, info, project, publicKey, ownerKey, control, guard },
    hereUrl: (address) => addressHere(address, info.addresses.url, url),
    owner: createClient({ ...common, apiKey: ownerKey.key }),
    createUserClient: (user, userToken, onEnd) =>
      createClient({
        ...{ ...common, apiKey: publicKey },
        session: {
          read: () => JSON.stringify({ user, token: userToken }),
          write: (kept) => (kept === null ? onEnd() : undefined),
        },
      }),
  }
}

/** Creates one secret key per browser, so that the request log can tell dashboard requests from those of the app. */
async function openOwnerKey(
  control: Control,
  project: string,
  keys: ProjectRecord['keys'],
  kept: BrowserStore,
): Promise<OwnerKey> {
  const known = kept.ownerKey(project)
  if (known && keys.some(({ id }) => id === known.id)) return known
  const made = await control.keys.create({ project, secret: true, name: 'dashboard' })
  kept.keepOwnerKey(project, made)
  return made
}
