/** Detects the dialect of a service with read-only requests. */
import { plainError } from '../../client/protocol/model/error-words.js'
import { isObject, type Json, parseJson } from '../../client/protocol/model/json.js'
import { axisNames } from '../../client/protocol/wire/axes.js'
import { dialects, parseDialect } from '../../client/protocol/wire/dialects.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { CliFailure, exits } from '../base/failure.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import type { Finding } from './finding.js'
import { documentFieldsIn, isList, judge, pageItems, unwrapped } from './judges.js'
import type { Seen, SeenAnswer } from './seen.js'

interface DetectOptions {
  readonly url: string
  readonly key: string | undefined
  /** An existing collection. Defaults to one from the service's list, because naming another could create it. */
  readonly collection?: string | undefined
  readonly fetch?: typeof globalThis.fetch
  readonly signal?: AbortSignal | undefined
}

type Ask = (path: string) => Promise<SeenAnswer>

/** @throws {SvcError | CliFailure} if nothing responds, the key is refused, or the URL belongs to something else */
export async function detectForms(options: DetectOptions): Promise<Finding[]> {
  const ask = asker(options)
  const collections = await ask('/collections')
  if ([401, 403].includes(collections.status)) throw refused(collections)
  const said = collections.header('svc-dialect')
  if (said) return parseFindings(said)

  // A service without a collection list may refuse that route before it checks the key.
  const users = await ask('/auth-collections/users?limit=1')
  if (await isDeployed(ask, collections, users)) {
    const evidence = 'lists no collections, and users as {data, …, has_more}'
    return axisNames().map((axis) => ({ axis, form: dialects.d[axis], evidence }) as Finding)
  }
  const [record] = [collections, users].filter(isRecord)
  if (!record) throw users.status === 404 || users.status < 400 ? notAService(options.url) : refused(users)
  const missing = await ask('/auth-collections/users/svc-detect-missing')
  const name = options.collection ?? (await fullestCollection(ask, namesIn(collections)))
  return judge({ record, missing, ...(name === undefined ? {} : await seenByReading(ask, name)) })
}

/** Recognizes the deployed service without naming a collection, which would make it. */
async function isDeployed(ask: Ask, collections: SeenAnswer, users: SeenAnswer): Promise<boolean> {
  if (collections.status !== 405 || !isObject(users.body) || !('has_more' in users.body)) return false
  return (await ask('/auth-collections/users?limit=0')).status === 422
}

/** Trusts the header over everything else in the response. */
function parseFindings(said: string): Finding[] {
  const dialect = parseDialect(said)
  return axisNames().map((axis) => ({ axis, form: dialect[axis], evidence: `svc-dialect: ${said}` }) as Finding)
}

function refused({ status, header, body }: SeenAnswer): Error {
  return decodeError(status, header, body, `The service answered ${status}.`)
}

function isRecord({ status, body }: SeenAnswer): boolean {
  return status === 200 && typeof body === 'object' && body !== null
}

function namesIn({ status, body }: SeenAnswer): string[] {
  const listed = status === 200 ? unwrapped(body) : undefined
  if (!Array.isArray(listed)) return []
  return listed.flatMap((one) => (isObject(one) && typeof one.name === 'string' ? [one.name] : []))
}

/** Prefers a collection with documents, which reveals the most. */
async function fullestCollection(ask: Ask, names: readonly string[]): Promise<string | undefined> {
  for (const name of names.slice(0, 10)) {
    const { page } = await listDocuments(ask, name, '?limit=1')
    if (pageItems(page?.body).length > 0) return name
  }
  return names[0]
}

interface Listed {
  /** Response at the collection's own path. */
  readonly plain: SeenAnswer
  /** Path of the documents, and the response there. */
  readonly documents: string
  readonly page: SeenAnswer | undefined
}

/** Lists a collection's documents. Depending on the service, they are at one of two paths. */
async function listDocuments(ask: Ask, name: string, query = ''): Promise<Listed> {
  const documents = `/collections/${encodeURIComponent(name)}`
  const plain = await ask(documents + query)
  if (isList(plain)) return { plain, documents, page: plain }
  const below = await ask(`${documents}/documents${query}`)
  return { plain, documents: `${documents}/documents`, page: isList(below) ? below : undefined }
}

async function seenByReading(ask: Ask, name: string): Promise<Omit<Seen, 'record' | 'missing'>> {
  const { plain, documents, page } = await listDocuments(ask, name)
  const found = Object.entries(documentFieldsIn(pageItems(page?.body)[0])).find(isComparable)
  if (!found) return { plain, page }
  const [field, value] = found.map((part) => encodeURIComponent(String(part)))
  const filtered = (condition: string) => ask(`${documents}?${condition}&limit=1`)
  return {
    plain,
    page,
    filtered: {
      double: await filtered(`${field}__eq=${value}`),
      single: await filtered(`${field}_eq=${value}`),
      any: await filtered(`${field}_startswith=${value}`),
    },
  }
}

/** Returns whether a filter on the field is unambiguous, whichever suffix the service uses. */
function isComparable([name, value]: [string, Json]): boolean {
  return /^[a-z]+$/i.test(name) && name !== 'id' && typeof value === 'string' && /^[\w -]+$/.test(value)
}

function asker({ url, key, fetch = fetchDirectly, signal }: DetectOptions): Ask {
  return async (path) => {
    const late = AbortSignal.timeout(10_000)
    const response = await fetch(`${url}${path}`, {
      headers: key === undefined ? {} : { 'x-api-key': key },
      signal: signal ? AbortSignal.any([signal, late]) : late,
    }).catch((cause) => {
      if (cause instanceof CliFailure || signal?.aborted) throw cause
      const isLate = cause instanceof Error && cause.name === 'TimeoutError'
      throw plainError(isLate ? 'TIMEOUT' : 'NETWORK', { cause })
    })
    const { status } = response
    const answer = {
      status,
      header: (name: string) => response.headers.get(name),
      body: parseJson(await response.text()),
    }
    // A temporary failure reveals nothing about the dialect.
    if (status === 429 || status >= 500) throw refused(answer)
    return answer
  }
}

function notAService(url: string): CliFailure {
  const message = `The server at ${url} does not provide the API of this service.`
  return new CliFailure(
    'NOT_A_SERVICE',
    exits.failed,
    message,
    'Check the address: svc dialects detect http://127.0.0.1:4400',
  )
}
