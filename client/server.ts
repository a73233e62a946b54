/** Keeps the session of a visitor in cookies, with one client for each request. */
import { isOld, type SessionStore, type SignedIn } from './auth/auth-state.js'
import type { ListOptions } from './collections/collection.js'
import { type Client, type ClientOptions, createClient, type Fields, SvcError, type UntypedSchema } from './index.js'
import { documentQuery, type InitialData } from './store/initial-data.js'
import type { AnySchema } from './types.js'

/** Attributes of a cookie, as the frameworks take them. */
export interface CookieAttributes {
  readonly httpOnly: true
  readonly secure: boolean
  readonly sameSite: 'lax' | 'strict'
  readonly path: string
  readonly domain?: string
  readonly expires: Date
}

/** Cookies of a request, for example `await cookies()` of Next or `event.cookies` of SvelteKit. */
export interface CookieJar {
  get(name: string): string | { readonly value: string } | null | undefined
  /** Without it, the session is read, but not renewed. May throw where cookies cannot be set. */
  set?(name: string, value: string, attributes: CookieAttributes): unknown
}

/** A `Request`, or the request of Node and Express. */
export interface CookieRequest {
  readonly headers: Pick<Headers, 'get'> | { readonly cookie?: string | undefined }
}

/** `Headers` for your `Response`, or the response of Express. Receives `set-cookie`. */
export interface CookieResponse {
  append(name: string, value: string): unknown
}

export interface CookieSettings {
  /** Default `svc-session`. A long session is split into `svc-session.0`, `svc-session.1` and so on. */
  readonly name?: string
  /** Default true. Browsers accept such a cookie from `http://localhost`, except Safari. */
  readonly secure?: boolean
  /** Default `lax`: requests that another site starts have no session, apart from links. */
  readonly sameSite?: 'lax' | 'strict'
  readonly domain?: string
}

/** A jar of cookies, or a request and its response. */
export type CookieSource =
  | { readonly cookies: CookieJar; readonly request?: undefined; readonly response?: undefined }
  | { readonly request: CookieRequest; readonly response?: CookieResponse; readonly cookies?: undefined }

export type ServerClientOptions = Omit<ClientOptions, 'session' | 'transport' | 'WebSocket'> &
  CookieSource & { readonly cookie?: CookieSettings }

/** Spec, "Authentication": tokens look like JWTs. Ignores anything else, which the service might take for an API key. */
const tokenSyntax = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** Browsers drop cookies of more than 4,096 bytes, attributes included. */
const chunkSyntax = /.{1,3600}/g
/** Servers refuse headers of more than 8 to 16 KB. */
const maxChunks = 4
/** The longest lifetime that browsers allow. The token expires earlier. */
const lifetimeMilliseconds = 400 * 86_400_000
/** How long requests that still bring the old token get the token that replaced it. */
const renewedMilliseconds = 10_000

/**
 * Creates a client for one request, signed in as its visitor. Logins, logouts and new tokens set cookies, which scripts of
 * the page cannot read. The user is always the one that the service names, never what the cookie says.
 *
 * @example
 * import { createServerClient } from 'svc-toolkit-client/server'
 *
 * async function handle(request: Request): Promise<Response> {
 *   const headers = new Headers()
 *   const svc = createServerClient({ url, apiKey, request, response: headers })
 *   const session = await svc.auth.session()
 *   return Response.json({ email: session?.user.email ?? null }, { headers })
 * }
 *
 * @throws {SvcError} `INVALID_OPTION`, `INVALID_DIALECT`. A login fails with `INVALID_OPTION` if no cookie can be set
 */
export function createServerClient<Schema extends AnySchema<Schema> = UntypedSchema, UserData extends object = Fields>(
  options: ServerClientOptions,
): Client<Schema, UserData> {
  const { cookies, request, response, cookie, ...service } = options
  const jar = cookies ?? jarOf(request, response)
  return createClient<Schema, UserData>({ ...service, session: cookieStore(jar, service, cookie) })
}

type Query = Omit<ListOptions<Fields, string, UntypedSchema>, 'signal'>

/** Lists and documents that a page shows first, with the queries of its hooks. */
export interface InitialRead<Name extends string = string> {
  readonly lists?: readonly { readonly collection: Name; readonly query?: Query }[]
  readonly documents?: readonly {
    readonly collection: Name
    readonly id: string
    readonly options?: Pick<Query, 'populate' | 'select'>
  }[]
}

/**
 * Reads lists and documents for a page that a server renders. Pass the result to the page as JSON, and to its hooks as
 * `initialData`. The page then shows it at once, and follows the changes after it without reading it again.
 *
 * @example
 * import { readInitialData } from 'svc-toolkit-client/server'
 *
 * const initialData = await readInitialData(svc, {
 *   lists: [{ collection: 'posts', query: { sort: '-createdAt', limit: 10 } }],
 * })
 *
 * @throws {SvcError} as `list` does
 */
export async function readInitialData<Schema extends AnySchema<Schema>, UserData extends object>(
  client: Client<Schema, UserData>,
  { lists = [], documents = [] }: InitialRead<keyof Schema & string>,
): Promise<InitialData> {
  const asLists = documents.map(({ collection, id, options }) => ({ collection, query: documentQuery(id, options) }))
  const { collection: open } = client as object as Client
  const read = [...lists, ...asLists].map(async ({ collection, query }) => {
    return { collection, query, ...(await open(collection).list(query)) }
  })
  return { lists: await Promise.all(read) }
}

function cookieStore(jar: CookieJar, service: ClientOptions, settings: CookieSettings = {}): SessionStore {
  const { name = 'svc-session', secure = true, sameSite = 'lax', domain } = settings
  const get = (name: string) => {
    const found = jar.get(name)
    return (typeof found === 'object' ? found?.value : found) || undefined
  }
  const chunkNames = Array.from({ length: maxChunks }, (_, at) => `${name}.${at}`)

  function readToken(): string {
    const token = get(name) ?? chunkNames.map((chunk) => get(chunk) ?? '').join('')
    return tokenSyntax.test(token) ? token : ''
  }

  /** @throws {SvcError} `INVALID_OPTION` */
  function writeToken(token: string) {
    if (!jar.set) throw new SvcError('INVALID_OPTION', 'Cannot set cookies. Pass "response", or "cookies" with "set".')
    const chunks = token.match(chunkSyntax) ?? []
    if (chunks.length > maxChunks) throw new SvcError('INVALID_OPTION', 'The token is too long for cookies.')
    const [only, parts] = chunks.length > 1 ? ['', chunks] : [token, []]
    put(name, only)
    for (const [at, chunk] of chunkNames.entries()) put(chunk, parts[at] ?? '')
  }

  /** Sets a cookie, or deletes what an earlier session left. */
  function put(name: string, value: string) {
    if (!value && get(name) === undefined) return
    const expires = new Date(value ? Date.now() + lifetimeMilliseconds : 0)
    jar.set?.(name, value, { httpOnly: true, secure, sameSite, path: '/', expires, ...(domain && { domain }) })
  }

  /** Pages that only show something cannot set cookies. Their next request that can does it. */
  function tryToWrite(token: string) {
    try {
      writeToken(token)
    } catch {}
  }

  return {
    async read() {
      const token = readToken()
      if (!token) return null
      const signedIn = await verify(service, token, Boolean(jar.set))
      if (signedIn?.token !== token) tryToWrite(signedIn?.token ?? '')
      return JSON.stringify(signedIn)
    },
    write(text) {
      const token: string = text ? JSON.parse(text).token : ''
      if (token === readToken()) return
      // A cookie that cannot be deleted holds a session that has ended.
      if (token) writeToken(token)
      else tryToWrite('')
    },
  }
}

/** Requests that are being verified, by service and token, so that parallel ones share the answer and the new token. */
const verifying = new Map<string, Promise<SignedIn | undefined>>()
const renewed = new Map<string, { readonly token: string; readonly at: number }>()

/** Asks the service who the user is, and renews an old token. Returns undefined if the session has ended. */
function verify(service: ClientOptions, token: string, canRenew: boolean): Promise<SignedIn | undefined> {
  const key = JSON.stringify([service.url, canRenew, token])
  const known = verifying.get(key)
  if (known) return known
  const asked = askService(service, token, canRenew).finally(() => verifying.delete(key))
  verifying.set(key, asked)
  return asked
}

async function askService(service: ClientOptions, token: string, canRenew: boolean): Promise<SignedIn | undefined> {
  const { auth } = createClient(service)
  const key = JSON.stringify([service.url, token])
  const now = performance.now()
  for (const [old, { at }] of renewed) if (now - at > renewedMilliseconds) renewed.delete(old)
  try {
    await auth.use((canRenew && renewed.get(key)?.token) || token)
  } catch (error) {
    if ((error as SvcError).code === 'INVALID_TOKEN') return
    throw error
  }
  if (canRenew && isOld((await auth.session())?.token ?? '')) {
    // The old token works until it expires, so the next request can try again.
    const next = await auth.refresh().catch(() => undefined)
    if (next) renewed.set(key, { token: next, at: now })
  }
  return auth.session()
}

/** Reads the header `cookie`, and appends `set-cookie`. */
function jarOf({ headers }: CookieRequest, response?: CookieResponse): CookieJar {
  const text = 'get' in headers && typeof headers.get === 'function' ? headers.get('cookie') : Object(headers).cookie
  const values = new Map<string, string>()
  for (const pair of String(text ?? '').split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    // The first one has the longest path, so it belongs to this app.
    if (at > 0 && !values.has(name)) values.set(name, decoded(pair.slice(at + 1).trim()))
  }
  return {
    get: (name) => values.get(name),
    set:
      response &&
      ((name, value, { secure, sameSite, path, domain, expires }) => {
        values.set(name, value)
        const parts = [
          `${name}=${value}`,
          `Path=${path}`,
          `Expires=${expires.toUTCString()}`,
          'HttpOnly',
          secure && 'Secure',
          `SameSite=${sameSite === 'lax' ? 'Lax' : 'Strict'}`,
          domain && `Domain=${domain}`,
        ]
        response.append('set-cookie', parts.filter(Boolean).join('; '))
      }),
  }
}

/** Some frameworks encode the values of cookies. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
