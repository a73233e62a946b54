/** Finds out which forms a service speaks, by reads that create nothing. */
import { plainError } from '../../client/protocol/model/error-words.js'
import { isObject, type Json, parseJson } from '../../client/protocol/model/json.js'
import { axisNames } from '../../client/protocol/wire/axes.js'
import { parseDialect } from '../../client/protocol/wire/dialects.js'
import { decodeError } from '../../client/protocol/wire/errors/decode.js'
import { CliFailure, exits } from '../base/failure.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import type { Finding } from './finding.js'
import { fieldsOf, isList, itemsOf, judge, unwrapped } from './judges.js'
import type { Seen, SeenAnswer } from './seen.js'

interface Asked {
  readonly url: string
  readonly key: string | undefined
  /** A collection that is there. Left out, one that the service lists: to name another may create it. */
  readonly collection?: string | undefined
  readonly fetch?: typeof globalThis.fetch
  readonly signal?: AbortSignal | undefined
}

type Ask = (path: string) => Promise<SeenAnswer>

/** @throws {SvcError | CliFailure} where nothing answers, the key is refused, or something else answers there. */
export async function detectForms(asked: Asked): Promise<Finding[]> {
  const ask = asker(asked)
  const collections = await ask('/collections')
  if ([401, 403].includes(collections.status)) throw refused(collections)
  const said = collections.header('svc-dialect')
  if (said) return findingsOf(said)

  // A service that lists no collections may refuse that before it looks at the key.
  const users = await ask('/auth-collections/users?limit=1')
  const [record] = [collections, users].filter(isRecord)
  if (!record) throw users.status === 404 || users.status < 400 ? notAService(asked.url) : refused(users)
  const missing = await ask('/auth-collections/users/svc-detect-missing')
  const name = asked.collection ?? (await fullestCollection(ask, namesIn(collections)))
  return judge({ record, missing, ...(name === undefined ? {} : await seenByReading(ask, name)) })
}

/** Whatever else an answer shows, its header says it. */
function findingsOf(said: string): Finding[] {
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

/** A collection with documents shows the most. */
async function fullestCollection(ask: Ask, names: readonly string[]): Promise<string | undefined> {
  for (const name of names.slice(0, 10)) {
    const { page } = await listOf(ask, name, '?limit=1')
    if (itemsOf(page?.body).length > 0) return name
  }
  return names[0]
}

interface Listed {
  /** The path of the collection itself. */
  readonly plain: SeenAnswer
  /** Where its documents are, and what was answered there. */
  readonly documents: string
  readonly page: SeenAnswer | undefined
}

/** The documents of a collection. A service may have them below one of both paths only. */
async function listOf(ask: Ask, name: string, query = ''): Promise<Listed> {
  const documents = `/collections/${encodeURIComponent(name)}`
  const plain = await ask(documents + query)
  if (isList(plain)) return { plain, documents, page: plain }
  const below = await ask(`${documents}/documents${query}`)
  return { plain, documents: `${documents}/documents`, page: isList(below) ? below : undefined }
}

async function seenByReading(ask: Ask, name: string): Promise<Omit<Seen, 'record' | 'missing'>> {
  const { plain, documents, page } = await listOf(ask, name)
  const found = Object.entries(fieldsOf(itemsOf(page?.body)[0])).find(isComparable)
  if (!found) return { plain, page }
  const [field, value] = found.map((part) => encodeURIComponent(String(part)))
  const filtered = (condition: string) => ask(`${documents}?${condition}&limit=1`)
  return {
    plain,
    page,
    filtered: {
      double: await filtered(`${field}__eq=${value}`),
      single: await filtered(`${field}_eq=${value}`),
    },
  }
}

/** Whether a filter can ask for a field without any doubt about where its name ends. */
function isComparable([name, value]: [string, Json]): boolean {
  return /^[a-z]+$/i.test(name) && name !== 'id' && typeof value === 'string' && /^[\w -]+$/.test(value)
}

function asker({ url, key, fetch = fetchDirectly, signal }: Asked): Ask {
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
    // A failure of the moment says nothing of forms.
    if (status === 429 || status >= 500) throw refused(answer)
    return answer
  }
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
