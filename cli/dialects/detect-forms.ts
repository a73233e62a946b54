/** Finds out which forms a service speaks, by asking it as any program would. */
import { randomBytes } from 'node:crypto'
import { plainError } from '../../client/protocol/model/error-words.js'
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { CliFailure, exits } from '../base/failure.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import type { Finding } from './finding.js'
import { firstEventOf } from './first-event.js'
import { isList, itemsOf, judge, totalOf, unwrapped } from './judges.js'
import type { Seen, SeenAnswer } from './seen.js'

interface Asked {
  readonly url: string
  readonly key: string | undefined
  readonly mayWrite: boolean
  readonly fetch?: typeof globalThis.fetch
  /** Ends it; a collection that was made is removed even so. */
  readonly signal?: AbortSignal | undefined
  /** Is called with the collection that was made, if the service does not remove it. */
  readonly onLeft?: ((name: string) => void) | undefined
}

type Ask = (method: string, path: string, body?: JsonObject) => Promise<SeenAnswer>

/** @throws {SvcError | CliFailure} where nothing answers, the key is refused, or something else answers there. */
export async function detectForms({ url, key, mayWrite, fetch, signal, onLeft }: Asked): Promise<Finding[]> {
  const ask = asker({ url, key, fetch, signal })
  const collections = await ask('GET', '/collections')
  if (collections.status === 404) throw notAService(url)
  if (collections.status !== 200) throw refused(collections)
  const listed = unwrapped(collections.body)
  if (typeof listed !== 'object' || listed === null) throw notAService(url)
  if (!mayWrite) {
    const name = await fullestCollection(ask, Array.isArray(listed) ? listed : [])
    return judge({ collections, ...(await seenByReading(ask, name)) })
  }
  const name = `svc-detect-${randomBytes(4).toString('hex')}`
  const remove = () => asker({ url, key, fetch })('DELETE', `/collections/${name}`)
  let isRefused = false
  try {
    const made = await ask('POST', '/collections', { name })
    isRefused = made.status >= 400 && made.status < 500
    if (!isDone(made)) throw refused(made)
    const written = await seenByWriting(ask, name)
    const read = await seenByReading(ask, name)
    const event = await firstEventOf({ url, headers: keyHeader(key), collection: name, signal }, () =>
      ask('POST', `/collections/${name}`, { heard: true }),
    )
    return judge({ collections, ...written, ...read, event })
  } finally {
    // One that refuses has made nothing, and may refuse to remove it as well. After another failure it may have.
    if (!isRefused) {
      const removed = await remove().catch(() => undefined)
      if (!removed || (removed.status !== 404 && !isDone(removed))) onLeft?.(name)
    }
  }
}

function isDone({ status }: SeenAnswer): boolean {
  return status >= 200 && status < 300
}

function refused({ status, header, body }: SeenAnswer): Error {
  return decodeError(status, header, body, `The service answered ${status}.`)
}

/** A collection with documents tells most; any will do; the name of none still tells how errors look. */
async function fullestCollection(ask: Ask, collections: readonly Json[]): Promise<string> {
  const names = collections.flatMap((collection) =>
    isObject(collection) && typeof collection.name === 'string' ? [collection.name] : [],
  )
  for (const name of names.slice(0, 10)) {
    const { page } = await listOf(ask, name, '?limit=1')
    if (itemsOf(page.body).length > 0) return name
  }
  return names[0] ?? 'svc-detect'
}

interface Listed {
  /** The path of the collection by itself. */
  readonly plain: SeenAnswer
  /** Where its documents are, of which this was answered. */
  readonly documents: string
  readonly page: SeenAnswer
}

/** The documents of a collection. A service may have them below one of both paths only. */
async function listOf(ask: Ask, name: string, query = ''): Promise<Listed> {
  const documents = `/collections/${name}`
  const plain = await ask('GET', documents + query)
  if (isList(plain)) return { plain, documents, page: plain }
  const below = `${documents}/documents`
  return { plain, documents: below, page: await ask('GET', below + query) }
}

async function seenByReading(ask: Ask, name: string): Promise<Omit<Seen, 'collections'>> {
  const { plain, documents, page } = await listOf(ask, name)
  const unknownSuffix = await ask('GET', `${documents}?svcdetect__nosuch=1&limit=1`)
  // Of a collection that is not there, its own path says how errors look, whichever paths there are.
  const missing = plain.status === 404 ? plain : await ask('GET', `${documents}/svc-detect-missing`)
  const hasDocuments = page.status === 200 && unknownSuffix.status !== 200 && totalOf(page)
  const singleSuffix = hasDocuments ? await ask('GET', `${documents}?svcdetect_isnull=true&limit=1`) : undefined
  return { page: page.status === 200 ? page : undefined, plain, unknownSuffix, missing, singleSuffix }
}

/** Creates a document in a collection of its own, replaces it, and looks at what became of it. */
async function seenByWriting(ask: Ask, name: string): Promise<Pick<Seen, 'created' | 'replaced'>> {
  const created = unwrapped((await ask('POST', `/collections/${name}`, { data: { first: 1 } })).body)
  if (!isObject(created) || typeof created.id !== 'string') return {}
  const { documents } = await listOf(ask, name)
  await ask('PUT', `${documents}/${created.id}`, { second: 2 })
  const replaced = unwrapped((await ask('GET', `${documents}/${created.id}`)).body)
  return replaced === undefined ? { created } : { created, replaced }
}

function asker({ url, key, fetch = fetchDirectly, signal }: Pick<Asked, 'url' | 'key' | 'fetch' | 'signal'>): Ask {
  return async (method, path, body) => {
    const late = AbortSignal.timeout(10_000)
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...keyHeader(key),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: signal ? AbortSignal.any([signal, late]) : late,
    }).catch((cause) => {
      if (cause instanceof CliFailure || signal?.aborted) throw cause
      const isLate = cause instanceof Error && cause.name === 'TimeoutError'
      throw plainError(isLate ? 'TIMEOUT' : 'NETWORK', { cause })
    })
    const text = await response.text()
    return { status: response.status, header: (name) => response.headers.get(name), body: readJson(text) }
  }
}

function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'x-api-key': key }
}

function notAService(url: string): CliFailure {
  const message = `What answers at ${url} does not speak the API of this service.`
  return new CliFailure(
    'NOT_A_SERVICE',
    exits.failed,
    message,
    'Check the address: svc dialects detect http://127.0.0.1:4400',
  )
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
