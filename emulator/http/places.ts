/** The paths that are served: one record for each, which both Express and the router read. */
import { plainError } from '../../client/protocol/model/error-words.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { StoredAnswer } from '../core/documents/idempotency.js'
import type { Exchange, HttpContext, Serve } from './exchange.js'
import { isKnownOrigin, requireKnownOrigin, requireNamedOrigin } from './guards/known-origins.js'
import { preflightHeaders } from './guards/origins.js'
import type { Endpoint, Route, RouteMethod } from './route.js'
import { serveRoute } from './serve-route.js'

/** What is served at a path. */
export interface ServedPath {
  readonly path: string
  readonly methods: ReadonlyMap<RouteMethod, Serve>
  /** What answers every other method; without it, a more general path does. */
  readonly others?: Serve
}

type Methods = Map<RouteMethod, { flat?: Route; nested?: Route }>

/** The places of routes, each path once, the more specific path first. */
export function placesOf(http: HttpContext, routes: readonly Route[]): ServedPath[] {
  const table = tableOf(routes)
  return [...table]
    .sort(([one], [other]) => bySpecificity(one, other))
    .map(([path, methods]) => {
      const serves = [...methods].map(([method, places]) => {
        const endpoint = endpointOf(places)
        if (!endpoint) throw new Error(`${method} ${path} is served in one dialect only.`)
        const serve: Serve = (exchange) => serveRoute(http, endpoint, exchange)
        return [method, takesIdBelow(table, path, method) ? refusingEmptyId(http, serve) : serve] as const
      })
      const isShared = [...methods.values()].some(({ flat }) => flat?.sharesPaths)
      return placeOf(http, path, new Map(serves), isShared)
    })
}

/** A path that is only read, and does not belong to the API. */
export function readingPlace(http: HttpContext, path: string, serve: Serve): ServedPath {
  return placeOf(http, path, new Map([['get', serve]]))
}

function placeOf(
  http: HttpContext,
  path: string,
  methods: ReadonlyMap<RouteMethod, Serve>,
  isShared = false,
): ServedPath {
  if (isShared) return { path, methods }
  const allow = allowed([...methods.keys()])
  return { path, methods, others: (exchange) => refuseMethod(http, exchange, allow) }
}

function allowed(methods: readonly RouteMethod[]): string[] {
  const names = methods.map((method) => method.toUpperCase())
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Whether the same method is served one segment further down, at whatever id stands there. */
function takesIdBelow(table: ReadonlyMap<string, Methods>, path: string, method: RouteMethod): boolean {
  return [...table].some(
    ([other, methods]) =>
      other.startsWith(`${path}/:`) && !other.slice(path.length + 1).includes('/') && methods.has(method),
  )
}

/**
 * With a slash behind it, a path ends in an id that is empty: what changes or removes the thing of that id is not done to all that
 * the path stands for. What reads or creates cannot be confused.
 */
function refusingEmptyId(http: HttpContext, serve: Serve): Serve {
  return (exchange) => {
    const { method = '', url = '' } = exchange.req
    const [path = ''] = url.split('?', 1)
    const isOfOne = ['PATCH', 'PUT', 'DELETE'].includes(method)
    return isOfOne && path.endsWith('/') ? refusePath(http, exchange) : serve(exchange)
  }
}

/** What a path of WebSockets answers to a request that asks for none. */
export async function refusePlainRequest(http: HttpContext, { req }: Exchange): Promise<StoredAnswer> {
  await requireKnownOrigin(http, req)
  throw plainError('UPGRADE_REQUIRED')
}

/** What a file answers to methods that do not read it. */
export function refuseOtherMethods(http: HttpContext, exchange: Exchange): Promise<StoredAnswer> {
  return refuseMethod(http, exchange, allowed(['get']))
}

async function refuseMethod(http: HttpContext, exchange: Exchange, allow: readonly string[]): Promise<StoredAnswer> {
  const { req } = exchange
  requireNamedOrigin(req)
  if (req.method === 'OPTIONS') return answerOptions(http, exchange, allow)
  await requireKnownOrigin(http, req)
  throw new SvcError('METHOD_NOT_ALLOWED', `"${req.method}" is not served here.`, [], { allow })
}

/** What a path answers where nothing is. */
export async function refusePath(http: HttpContext, exchange: Exchange): Promise<StoredAnswer> {
  const { req } = exchange
  requireNamedOrigin(req)
  if (req.method === 'OPTIONS') return answerOptions(http, exchange, [])
  await requireKnownOrigin(http, req)
  const [path = ''] = (req.url ?? '').split('?', 1)
  const name = path.slice(0, 200)
  throw new SvcError('NOT_FOUND', `There is nothing at "${name}".`, [], {
    reason: { kind: 'missing', what: 'path', name },
  })
}

async function answerOptions(http: HttpContext, exchange: Exchange, allow: readonly string[]): Promise<StoredAnswer> {
  const { headers } = exchange.req
  if (headers.origin !== undefined && (await isKnownOrigin(http, exchange.req)))
    exchange.headers = preflightHeaders(headers)
  return { status: 204, headers: allow.length > 0 ? { allow: allow.join(', ') } : {}, body: '' }
}

function tableOf(routes: readonly Route[]): Map<string, Methods> {
  const table = new Map<string, Methods>()
  for (const route of routes) {
    for (const [place, paths] of Object.entries(route.paths)) {
      for (const path of paths) {
        const methods: Methods = table.get(path) ?? new Map()
        const served = place === 'any' ? { flat: route, nested: route } : { [place]: route }
        methods.set(route.method, { ...methods.get(route.method), ...served })
        table.set(path, methods)
      }
    }
  }
  return table
}

function endpointOf({ flat, nested }: { flat?: Route; nested?: Route }): Endpoint | undefined {
  return flat && nested && { flat, nested }
}

/** Words before parameters, from the left. */
function bySpecificity(one: string, other: string): number {
  const key = (path: string) => path.replaceAll(/:\w+/g, '~')
  return key(one) < key(other) ? -1 : 1
}
