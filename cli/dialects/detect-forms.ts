/** Finds out which forms a service speaks, by asking it as any program would. */
import { randomBytes } from 'node:crypto'
import { plainError } from '../../client/protocol/model/error-words.js'
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import type { documentShapes } from '../../client/protocol/wire/document/encode.js'
import { readError } from '../../client/protocol/wire/errors/decode.js'
import { CliFailure, exits } from '../base/failure.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { detectEvents } from './detect-events.js'
import type { Finding } from './finding.js'

export interface Asked {
  readonly url: string
  readonly key: string | undefined
  readonly mayWrite: boolean
}

interface Answer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly body: Json
}
type Ask = (method: string, path: string, body?: JsonObject) => Promise<Answer>

/** @throws {SvcError | CliFailure} where nothing answers, the key is refused, or something else answers there. */
export async function detectForms({ url, key, mayWrite }: Asked): Promise<Finding[]> {
  const ask = asker(url, key)
  const listed = await ask('GET', '/collections')
  if (listed.status === 404) throw notAService(url)
  if (listed.status !== 200)
    throw readError(listed.status, listed.header, listed.body, `The service answered ${listed.status}.`)
  const record = isObject(listed.body) && listed.body.success === true ? 'success' : 'bare'
  const collections = unwrapped(listed.body)
  if (typeof collections !== 'object' || collections === null) throw notAService(url)
  const findings: Finding[] = [
    {
      axis: 'record',
      form: record,
      evidence: `GET /collections: ${record === 'success' ? '{success, data}' : 'no envelope'}`,
    },
  ]
  if (!mayWrite) {
    const name = await fullestCollection(ask, Array.isArray(collections) ? collections : [])
    return [...findings, ...(await detectByReading(ask, name))]
  }
  const name = `svc-detect-${randomBytes(4).toString('hex')}`
  await ask('POST', '/collections', { name })
  const listened = { url, headers: keyHeader(key), collection: name }
  const createDocument = () => ask('POST', `/collections/${name}/documents`, { heard: true })
  try {
    return [
      ...findings,
      ...(await detectByWriting(ask, name)),
      ...(await detectByReading(ask, name)),
      ...(await detectEvents(listened, createDocument)),
    ]
  } finally {
    await ask('DELETE', `/collections/${name}`)
  }
}

/** A collection with documents tells most; any will do; the name of none still tells how errors look. */
async function fullestCollection(ask: Ask, collections: readonly Json[]): Promise<string> {
  const names = collections.flatMap((collection) =>
    isObject(collection) && typeof collection.name === 'string' ? [collection.name] : [],
  )
  for (const name of names.slice(0, 10)) {
    const { body } = await ask('GET', `/collections/${name}/documents?limit=1`)
    if (itemsOf(body).length > 0) return name
  }
  return names[0] ?? 'svc-detect'
}

async function detectByReading(ask: Ask, name: string): Promise<Finding[]> {
  const documents = `/collections/${name}/documents`
  const [page, plain, unknownSuffix, missing] = [
    await ask('GET', documents),
    await ask('GET', `/collections/${name}`),
    await ask('GET', `${documents}?svcdetect__nosuch=1&limit=1`),
    await ask('GET', `${documents}/svc-detect-missing`),
  ]
  const findings = [...errorFindings(missing)]
  if (page.status !== 200) return findings
  findings.push(...pageFindings(page), ...documentFindings(itemsOf(page.body)[0]), pathFinding(plain))
  if (unknownSuffix.status === 200) {
    return [...findings, { axis: 'filters', form: 'single', evidence: '?x__nosuch=1 is a field like any other' }]
  }
  const all = totalOf(page)
  if (all === null || all === 0) return findings
  const single = await ask('GET', `${documents}?svcdetect_isnull=true&limit=1`)
  const form = totalOf(single) === all ? 'both' : 'double'
  const words = form === 'both' ? 'a suffix' : 'part of the name'
  return [...findings, { axis: 'filters', form, evidence: `?x__nosuch=1 is refused, _isnull is ${words}` }]
}

function errorFindings({ body }: Answer): Finding[] {
  if (!isObject(body)) return []
  if ('detail' in body) return [{ axis: 'errors', form: 'detail', evidence: 'an error is {detail}' }]
  return 'error' in body ? [{ axis: 'errors', form: 'envelope', evidence: 'an error is {error: {…}}' }] : []
}

function pageFindings(page: Answer): Finding[] {
  const body = unwrapped(page.body)
  const isArray = Array.isArray(body)
  const list = isArray ? 'array' : 'page'
  const evidence = isArray ? 'documents come as an array' : 'documents come as {documents, total, …}'
  const limit = isArray ? Number(page.header('x-limit')) : isObject(body) ? body.limit : undefined
  const paging: readonly Finding[] =
    limit === 20 || limit === 50
      ? [{ axis: 'paging', form: limit === 20 ? 'small' : 'large', evidence: `a page without limit has ${limit}` }]
      : []
  return [{ axis: 'list', form: list, evidence }, ...paging]
}

function documentFindings(document: Json | undefined): Finding[] {
  if (!isObject(document)) return []
  const form = shapeOf(document)
  const keys = {
    enveloped: '{id, collection, data, createdAt, …}',
    snake: '{id, collection_id, data, created_at, …}',
    flat: 'its fields, beside id',
  }
  return [{ axis: 'document', form, evidence: `a document is ${keys[form]}` }]
}

function shapeOf(document: JsonObject): keyof typeof documentShapes {
  if (!isObject(document.data)) return 'flat'
  if ('collection_id' in document && 'created_at' in document) return 'snake'
  return 'collection' in document && 'createdAt' in document ? 'enveloped' : 'flat'
}

function pathFinding({ body }: Answer): Finding {
  const answer = unwrapped(body)
  const isRecord = isObject(answer) && !Array.isArray(answer.documents) && 'name' in answer
  const form = isRecord ? 'nested' : 'flat'
  return { axis: 'paths', form, evidence: `GET /collections/<c> is its ${isRecord ? 'record' : 'documents'}` }
}

/** Writes two documents into a collection of its own, and looks at what became of them. */
async function detectByWriting(ask: Ask, name: string): Promise<Finding[]> {
  const documents = `/collections/${name}/documents`
  const created = unwrapped((await ask('POST', documents, { data: { first: 1 } })).body)
  const findings: Finding[] = []
  if (!isObject(created) || typeof created.id !== 'string') return findings
  const fields = fieldsOf(created)
  const isUnwrapped = 'first' in fields
  findings.push({
    axis: 'body',
    form: isUnwrapped ? 'either' : 'bare',
    evidence: isUnwrapped ? '{data: {…}} is unwrapped' : '{data: {…}} is a field named data',
  })
  await ask('PUT', `${documents}/${created.id}`, { second: 2 })
  const after = unwrapped((await ask('GET', `${documents}/${created.id}`)).body)
  if (!isObject(after)) return findings
  const isMerged = isUnwrapped ? 'first' in fieldsOf(after) : 'data' in fieldsOf(after)
  findings.push({
    axis: 'put',
    form: isMerged ? 'merge' : 'replace',
    evidence: isMerged ? 'PUT keeps other fields' : 'PUT replaces all fields',
  })
  return findings
}

function fieldsOf(document: JsonObject): JsonObject {
  return shapeOf(document) !== 'flat' && isObject(document.data) ? document.data : document
}

function itemsOf(body: Json): readonly Json[] {
  const answer = unwrapped(body)
  if (Array.isArray(answer)) return answer
  return isObject(answer) && Array.isArray(answer.documents) ? answer.documents : []
}

function totalOf({ body, header }: Answer): number | null {
  const answer = unwrapped(body)
  if (isObject(answer) && typeof answer.total === 'number') return answer.total
  const total = header('x-total-count')
  return total === null ? null : Number(total)
}

function unwrapped(body: Json): Json {
  return isObject(body) && body.success === true && body.data !== undefined ? body.data : body
}

function asker(url: string, key: string | undefined): Ask {
  return async (method, path, body) => {
    const response = await fetchDirectly(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...keyHeader(key),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(10_000),
    }).catch((cause) => {
      if (cause instanceof CliFailure) throw cause
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
  const message = `Something answers at ${url}, and it is no service of this kind.`
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
