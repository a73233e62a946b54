/** Sends the client's requests to the paths at which a service of dialect d serves them. Not loaded by clients of other services. */
import { isObject, type JsonObject, parseJson } from '../protocol/model/json.js'
import { asObject } from '../protocol/wire/expected.js'

interface Place {
  readonly path: string
  /** Changes the names in a JSON body. */
  body?(sent: JsonObject): JsonObject
  /** Sends a form in another way. */
  form?(sent: FormData): { readonly form: FormData; readonly search: string }
  /** Changes a successful answer. */
  answer?(body: JsonObject): JsonObject
}

/** POST requests, by the path of the specification. */
const places: { readonly [path: string]: Place } = {
  '/auth/request-password-reset': { path: '/auth-collections/forgot-password' },
  '/auth/reset-password': {
    path: '/auth-collections/reset-password',
    body: ({ newPassword, ...rest }) => ({ ...rest, new_password: newPassword ?? null }),
  },
  '/auth/request-verification': { path: '/auth-collections/verify-email/send' },
  '/auth/verify-email': { path: '/auth-collections/verify-email/verify' },
  '/auth-collections/verify-2fa-login': { path: '/auth-collections/2fa/verify' },
  '/storage/upload': {
    path: '/collections/file',
    form(sent) {
      const form = new FormData()
      const folder = sent.get('path')
      form.append('file', sent.get('file') ?? '')
      return { form, search: typeof folder === 'string' ? `?directory=${encodeURIComponent(folder)}` : '' }
    },
    // The service tells no id, so the address serves as one.
    answer: ({ url, filename, size }) => ({
      id: url ?? null,
      name: filename ?? null,
      path: '',
      url: url ?? null,
      size: size ?? null,
    }),
  },
}

/** Wraps the `fetch` of a client for a service of dialect `d`. */
export function deployedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(String(input))
    const base = Object.keys(places).find((path) => url.pathname.endsWith(path)) ?? ''
    const place = init?.method === 'POST' ? places[base] : undefined
    if (!place) return fetch(input, init)
    url.pathname = url.pathname.slice(0, -base.length) + place.path
    const response = await fetch(url, await changed(place, url, init ?? {}))
    return place.answer && response.ok ? answered(response, place.answer) : response
  }
}

async function changed({ body, form }: Place, url: URL, init: RequestInit): Promise<RequestInit> {
  if (form) {
    const sent = init.body instanceof FormData ? init.body : await new Response(init.body, toHeaders(init)).formData()
    const { form: other, search } = form(sent)
    url.search = search
    const headers = new Headers(init.headers)
    // Names the boundary of the other form.
    headers.delete('content-type')
    return { ...init, headers, body: other }
  }
  const headers = new Headers(init.headers)
  headers.set('content-type', 'application/json')
  const sent = asObject(parseJson(String(init.body ?? '{}')))
  return { ...init, headers, body: JSON.stringify(body ? body(sent) : sent) }
}

const toHeaders = ({ headers }: RequestInit): ResponseInit => (headers ? { headers } : {})

async function answered(response: Response, change: NonNullable<Place['answer']>): Promise<Response> {
  const { status, headers } = response
  const text = await response.text()
  const body = parseJson(text)
  // Leaves an answer that is not the service's to the client, which names it.
  return new Response(isObject(body) ? JSON.stringify(change(body)) : text, { status, headers: plain(headers) })
}

function plain(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of ['content-length', 'content-encoding']) copy.delete(name)
  return copy
}
