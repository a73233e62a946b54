/** Lists the served paths. Express and the router are both built from these records. */
import { plainError } from '../../client/protocol/model/error-words.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { StoredAnswer } from '../core/documents/idempotency.js'
import { isKnownOrigin, requireKnownOrigin, requireNamedOrigin } from './guards/known-origins.js'
import { preflightHeaders } from './guards/origins.js'
import type { HttpContext } from './http-context.js'
import { serveRoute } from './pipeline.js'
import type { Endpoint, Route, RouteMethod } from './route.js'
import type { Incoming, Reach, Serve } from './stages.js'

/** The handlers of a path. */
export interface ServedPath {
  readonly path: string
  readonly methods: ReadonlyMap<RouteMethod, Serve>
  /** Answers every other method. Without it, a more general path does. */
  readonly others?: Serve
}

type Methods = Map<RouteMethod, { flat?: Route; nested?: Route }>

/** Groups routes by path, with more specific paths first. */
export function listPlaces(http: HttpContext, routes: readonly Route[]): ServedPath[] {
  const table = buildTable(routes)
  return [...table]
    .sort(([one], [other]) => bySpecificity(one, other))
    .map(([path, methods]) => {
      const serves = [...methods].map(([method, places]) => {
        const endpoint = toEndpoint(places)
        if (!endpoint) throw new Error(`${method} ${path} is served in one dialect only.`)
        const serve: Serve = (incoming, reach) => serveRoute(http, endpoint, incoming, reach)
        return [method, takesIdBelow(table, path, method) ? refusingEmptyId(http, serve) : serve] as const
      })
      const isShared = [...methods.values()].some(({ flat }) => flat?.sharesPaths)
      return toPlace(http, path, new Map(serves), isShared)
    })
}

/** A path that is only read and is not part of the API. */
export function readingPlace(http: HttpContext, path: string, serve: Serve): ServedPath {
  return toPlace(http, path, new Map([['get', serve]]))
}

function toPlace(
  http: HttpContext,
  path: string,
  methods: ReadonlyMap<RouteMethod, Serve>,
  isShared = false,
): ServedPath {
  if (isShared) return { path, methods }
  const allow = allowed([...methods.keys()])
  return { path, methods, others: (incoming, reach) => refuseMethod(http, incoming, reach, allow) }
}

function allowed(methods: readonly RouteMethod[]): string[] {
  const names = methods.map((method) => method.toUpperCase())
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Whether the same method is also served one segment further down, with an id there. */
function takesIdBelow(table: ReadonlyMap<string, Methods>, path: string, method: RouteMethod): boolean {
  return [...table].some(
    ([other, methods]) =>
      other.startsWith(`${path}/:`) && !other.slice(path.length + 1).includes('/') && methods.has(method),
  )
}

/**
 * Refuses a trailing slash on writes, because the path then ends in an empty id. Otherwise a request to change or remove one
 * thing would apply to all of them. Reads and creates are not ambiguous.
 */
function refusingEmptyId(http: HttpContext, serve: Serve): Serve {
  return (incoming, reach) => {
    const { method = '', url = '' } = incoming.req
    const [path = ''] = url.split('?', 1)
    const isOfOne = ['PATCH', 'PUT', 'DELETE'].includes(method)
    return isOfOne && path.endsWith('/') ? refusePath(http, incoming, reach) : serve(incoming, reach)
  }
}

/** Answers a plain HTTP request to a path for WebSockets. */
export async function refusePlainRequest(http: HttpContext, { req }: Incoming): Promise<StoredAnswer> {
  await requireKnownOrigin(http, req)
  throw plainError('UPGRADE_REQUIRED')
}

/** Answers methods that don't read a file. */
export function refuseOtherMethods(http: HttpContext, incoming: Incoming, reach: Reach): Promise<StoredAnswer> {
  return refuseMethod(http, incoming, reach, allowed(['get']))
}

async function refuseMethod(
  http: HttpContext,
  incoming: Incoming,
  reach: Reach,
  allow: readonly string[],
): Promise<StoredAnswer> {
  const { req } = incoming
  requireNamedOrigin(req)
  if (req.method === 'OPTIONS') return answerOptions(http, incoming, reach, allow)
  await requireKnownOrigin(http, req)
  throw new SvcError('METHOD_NOT_ALLOWED', `Method "${req.method}" is not allowed here.`, [], { allow })
}

/** Answers paths at which nothing is served. */
export async function refusePath(http: HttpContext, incoming: Incoming, reach: Reach): Promise<StoredAnswer> {
  const { req } = incoming
  requireNamedOrigin(req)
  if (req.method === 'OPTIONS') return answerOptions(http, incoming, reach, [])
  await requireKnownOrigin(http, req)
  const [path = ''] = (req.url ?? '').split('?', 1)
  const name = path.slice(0, 200)
  throw new SvcError('NOT_FOUND', `Nothing is served at "${name}".`, [], {
    reason: { kind: 'missing', what: 'path', name },
  })
}

async function answerOptions(
  http: HttpContext,
  incoming: Incoming,
  reach: Reach,
  allow: readonly string[],
): Promise<StoredAnswer> {
  const { headers } = incoming.req
  if (headers.origin !== undefined && (await isKnownOrigin(http, incoming.req)))
    reach({ ...incoming, headers: preflightHeaders(headers) })
  return { status: 204, headers: allow.length > 0 ? { allow: allow.join(', ') } : {}, body: '' }
}

function buildTable(routes: readonly Route[]): Map<string, Methods> {
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

function toEndpoint({ flat, nested }: { flat?: Route; nested?: Route }): Endpoint | undefined {
  return flat && nested && { flat, nested }
}

/** Orders literal segments before parameters, from the left. */
function bySpecificity(one: string, other: string): number {
  const key = (path: string) => path.replaceAll(/:\w+/g, '~')
  return key(one) < key(other) ? -1 : 1
}
