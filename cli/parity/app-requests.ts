/** Requests of the app in the emulator's request log: cases made from them, and which of them use what differs. */
import type { Control } from '../../client/control.js'
import type { ParityFinding } from '../../client/protocol/control/parity.js'
import { isObject, type Json, type JsonObject, objectOfMany, parseJson } from '../../client/protocol/model/json.js'
import { queryText } from '../../client/protocol/model/requests/query-text.js'
import { every } from '../../client/protocol/wire/filters/suffixes.js'
import { type Look, ownAxes, type ParityCase, type Step } from './case.js'

/** Requests that differ in nothing but ids and values. */
export interface AppShape {
  readonly method: string
  /** Path and query, with ids and values replaced. */
  readonly path: string
  readonly requests: number
  readonly body: JsonObject | undefined
}

const maxRequests = 1_000
/** The request log has a body per request, and each takes a call. */
const maxBodies = 60

/**
 * Reads the requests that the app sent to the folder's project. The control API and other projects are left out.
 *
 * @param withBodies whether to read the bodies of writes, which takes a call for each
 */
export async function readAppShapes(
  { requests }: Control,
  project: string,
  withBodies: boolean,
): Promise<readonly AppShape[]> {
  const { requests: found } = await requests.list({ project, limit: maxRequests })
  const shapes = new Map<string, AppShape>()
  let bodies = 0
  for (const { id, method, path, status } of found) {
    if (status === null || status >= 400 || !/^\/(collections|auth-collections|auth)\b/.test(path)) continue
    const shown = replaceValues(path)
    const isWrite = method === 'POST' || method === 'PATCH' || method === 'PUT'
    const hasBody = withBodies && isWrite && isOfDocuments(path)
    const key = `${method} ${shown}`
    const known = shapes.get(key)
    const body = known ? known.body : hasBody && bodies++ < maxBodies ? await readBody(requests, id) : undefined
    shapes.set(key, { method, path: shown, requests: (known?.requests ?? 0) + 1, body })
  }
  return [...shapes.values()].toSorted((one, other) => other.requests - one.requests)
}

async function readBody({ get }: Control['requests'], id: string): Promise<JsonObject | undefined> {
  const { request } = await get({ id })
  const body = parseJson(request.body.text ?? 'null')
  return isObject(body) && !request.body.isCut ? (replaceIn(body) as JsonObject) : undefined
}

const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi

/** Names that say how to answer. Their values stay. */
const kept = 'limit offset sort order sort_by sort_order orderBy populate select count collection upsert'.split(' ')
const keptSuffix = /_(isnull)$/

function replaceValues(path: string): string {
  const [place = '', query] = path.split('?', 2)
  const masked = place.replace(uuid, '{id}')
  if (query === undefined || query === '') return masked
  const parts = query.split('&').map((part) => {
    const [name = '', value = ''] = part.split('=', 2)
    const plain = queryText(name)
    return kept.includes(plain) || keptSuffix.test(plain) ? part : `${name}=${replaceText(queryText(value))}`
  })
  return `${masked}?${parts.join('&')}`
}

/** Keeps the kind of a value, because filters depend on it. */
function replaceText(value: string): string {
  if (/^-?\d+(\.\d+)?$/.test(value) || ['true', 'false', 'null'].includes(value)) return value
  return 'tea'
}

function replaceIn(value: Json): Json {
  if (typeof value === 'string') return 'tea'
  if (Array.isArray(value)) return value.map(replaceIn)
  if (!isObject(value)) return value
  return objectOfMany(Object.entries(value).map(([name, inner]) => [name, replaceIn(inner)]))
}

const isOfDocuments = (path: string) => /^\/collections\/./.test(path)

const setUp: Step = { method: 'POST', path: '/collections', body: { name: '{fresh}' } }
const creating = '/collections/documents?collection={fresh}'
const createdPath = '/collections/{fresh}/documents/{id}'

/** Makes a case of each shape that reads or writes documents. Other requests are covered by the built-in cases, or by none. */
export function makeCases(shapes: readonly AppShape[]): readonly (ParityCase & { readonly shape: AppShape })[] {
  return shapes.flatMap((shape, at) => {
    const made = planSteps(shape)
    if (!made) return []
    const [steps, compare] = made
    const change = `Your app sends ${shape.method} ${shape.path}. Change it, or accept the difference.`
    return [{ id: `app.${at + 1}`, axis: ownAxes.app, needs: ['collections'] as const, steps, compare, change, shape }]
  })
}

const sample: Step = { method: 'POST', path: creating, body: { n: 1, title: 'tea' }, bind: 'id' }

function planSteps({ method, path, body }: AppShape): readonly [readonly Step[], readonly Look[]] | undefined {
  const [place = '', query] = path.split('?', 2)
  const isList = /^\/collections\/[^/]+(\/documents)?$/.test(place)
  const isOne = /^\/collections\/[^/]+(\/documents)?\/\{id\}$/.test(place)
  const own = place.replace(/^\/collections\/[^/]+/, '/collections/{fresh}')
  const at = query === undefined ? own : `${own}?${query}`
  const kind = `${method} ${isOne ? 'one' : isList ? 'list' : 'other'}`
  const read: Step = { method: 'GET', path: createdPath }
  const asked: Step = { method, path: at }
  if (kind === 'GET list')
    return [
      [setUp, ...samples(query ?? ''), asked],
      ['rows', 'order'],
    ]
  if (kind === 'GET one') return [[setUp, sample, asked], ['fields']]
  if (kind === 'DELETE one') return [[setUp, sample, asked, read], ['status']]
  if (!body) return undefined
  if (kind === 'PATCH one' || kind === 'PUT one') return [[setUp, sample, { ...asked, body }, read], ['fields']]
  if (kind !== 'POST list') return undefined
  const target = place === '/collections/documents' ? creating : at
  return [[setUp, { method, path: target, body, bind: 'id' }, read], ['fields']]
}

/** Makes documents that the filters of a query tell apart: one that has the value, one that has another, one without. */
function samples(query: string): Step[] {
  const pairs = [...new URLSearchParams(query)].filter(([name]) => !kept.includes(name))
  const fields = pairs.flatMap(([name, value]) => {
    const plain = name.replace(/^\[[^\]]*\]/, '')
    const parts = plain.split(/__or__/).map((part) => part.replace(suffix, ''))
    return parts.map((field) => [field, readValue(value)] as const)
  })
  const sorted = new URLSearchParams(query).get('sort')
  const made = (n: number, values: readonly (readonly [string, Json])[]): Step => ({
    ...{ method: 'POST', path: creating },
    body: {
      n,
      ...(sorted && !sorted.includes('_at') ? { [sorted]: n * 5 } : {}),
      ...objectOfMany(values.map(([name, value]) => [name, value])),
    },
  })
  return [
    made(1, fields),
    made(
      2,
      fields.map(([name, value]) => [name, typeof value === 'number' ? value + 1 : 'other']),
    ),
    made(3, []),
  ]
}

const suffix = new RegExp(`__?(${every.join('|')})$`)

function readValue(text: string): Json {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text
}

/** Reads what a request asks for, apart from names and values: its route, and the forms of its query. */
function readFeatures(
  { method, path }: Pick<Step, 'method' | 'path'>,
  { isExact }: { readonly isExact: boolean },
): { readonly route: string; readonly forms: ReadonlySet<string> } {
  const [place = '', query = ''] = path.split('?', 2)
  const masked = place.replace(uuid, '*').replace(/\{\w+\}/g, '*')
  const shared = isExact ? masked : masked.replace(/^(\/collections\/(?!documents$)[^/]+)\/documents/, '$1')
  const route = shared.replace(/^\/collections\/(?!documents$)[^/]+/, '/collections/*')
  const forms = [...new URLSearchParams(query)].flatMap(([name, value]) => {
    if (name === 'limit') return [describeLimit(Number(value))]
    if (name === 'offset') return [Number(value) < 0 ? 'negative offset' : name]
    if (kept.includes(name)) return [name]
    const [, mark] = suffix.exec(name) ?? []
    const group = /^\[(\w+)/.exec(name)?.[1]
    return [
      mark ?? 'plain',
      group,
      name.includes('__or__') ? 'several' : undefined,
      name.includes('.') ? 'dotted' : undefined,
    ]
  })
  return { route: `${method} ${route}`, forms: new Set(forms.filter((form) => form !== undefined)) }
}

/** Names a limit that services treat differently. Others decide nothing. */
function describeLimit(limit: number): string | undefined {
  if (!Number.isInteger(limit)) return 'invalid limit'
  if (limit < 1) return 'limit below 1'
  return limit > 500 ? 'limit over 500' : limit > 100 ? 'limit over 100' : undefined
}

/** Subjects that neither the route nor the query of a request shows. Headers are not in the log either. */
const unseen = ['keys', 'rights', 'schemas', 'events', 'frames', 'realtime']

/** Subjects whose cases end by finding what was written. */
const readBack = ['routes', 'body', 'bodies']

/** Finds the requests of the app that take the route of a case and every form of its query. */
export function findUses(one: ParityCase, shapes: readonly AppShape[]): ParityFinding['uses'] {
  const asked = findTestedStep(one)
  if (!asked) return []
  // Only here is it the path that differs. Elsewhere, each dialect has its own for the same request.
  const isExact = one.axis === 'routes' || one.axis === 'paths'
  const { route, forms } = readFeatures(asked, { isExact })
  const using = shapes.filter((shape) => {
    const other = readFeatures(shape, { isExact })
    return other.route === route && [...forms].every((form) => other.forms.has(form))
  })
  return using.map(({ method, path, requests }) => ({ method, path, requests }))
}

/** Finds the step that a case is about: the last one, or the first that prepares no other if the last reads it back. */
function findTestedStep({ axis, steps }: ParityCase): Step | undefined {
  if (unseen.includes(axis) || steps.some(({ headers }) => headers !== undefined)) return undefined
  const isQuestion = ({ method, path }: Step) => method === 'GET' && path.includes('?')
  const last = steps.at(-1)
  if (!last || last.method !== 'GET' || (isQuestion(last) && !readBack.includes(axis))) return last
  const own = steps.filter((step) => step.path !== '/collections' && !isQuestion(step))
  return own.find(({ bind }) => bind === undefined) ?? own[0] ?? last
}
