/** Puts routes into Express, each path once, the more specific path first. */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Express, Request, Response } from 'express'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { Answer } from '../core/documents/idempotency.js'
import type { Door, Exchange, Serve } from './exchange.js'
import { isKnownOrigin, requireNamedOrigin } from './guards/known-origins.js'
import { preflightHeaders } from './guards/origins.js'
import type { Method, Route } from './route.js'
import { run } from './run.js'
import { type Endpoint, serveRoute } from './serve-route.js'

type Methods = Map<Method, { flat?: Route; nested?: Route }>

/** Mounts routes, and what their paths answer to other methods. */
export function mount(app: Express, door: Door, routes: readonly Route[]): void {
  const table = tableOf(routes)
  for (const path of [...table.keys()].sort(bySpecificity)) {
    const methods = [...(table.get(path) ?? [])]
    const mounted = app.route(path)
    for (const [method, places] of methods) {
      const endpoint = endpointOf(places)
      if (!endpoint) throw new Error(`${method} ${path} is served in one dialect only.`)
      const serve: Serve = (exchange) => serveRoute(door, endpoint, exchange)
      const asWritten = takesIdBelow(table, path, method) ? refusingEmptyId(door, serve) : serve
      mounted[method]((req, res) => run(door, path, asWritten, req, res))
    }
    if (methods.some(([, { flat }]) => flat?.sharesPaths)) continue
    const allow = allowed(methods.map(([method]) => method))
    mounted.all((req, res) => run(door, path, (exchange) => refuseMethod(door, exchange, allow), req, res))
  }
}

/** Mounts a path that is only read, and is no route of the API. */
export function mountReading(app: Express, door: Door, path: string, serve: Serve): void {
  const mounted = app.route(path)
  mounted.get((req, res) => run(door, path, serve, req, res))
  mounted.all((req, res) => run(door, path, (exchange) => refuseMethod(door, exchange, allowed(['get'])), req, res))
}

function allowed(methods: readonly Method[]): string[] {
  const names = methods.map((method) => method.toUpperCase())
  return [...names, ...(names.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
}

/** Hands all that is below a path to an app of its own, except for requests that call us by a stranger's name. */
export function mountApp(app: Express, door: Door, path: string, answer: RequestListener): void {
  app.use(path, (req, res) => {
    try {
      door.requireHost(req.headers.host)
    } catch {
      return run(door, path, (exchange) => refusePath(door, exchange), req, res)
    }
    return answer(req, res)
  })
}

/** What every other path answers. */
export function mountRest(app: Express, door: Door): void {
  app.use((req, res) => run(door, '*', (exchange) => refusePath(door, exchange), req, res))
  // Express knows this one by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: unknown) => {
    const serve = (exchange: Exchange) => {
      // A path whose percent encoding is bad names nothing.
      if (error instanceof URIError) return refusePath(door, exchange)
      throw error
    }
    return run(door, '*', serve, req, res)
  })
}

/** Whether the same method is served one segment further down, at whatever id stands there. */
function takesIdBelow(table: ReadonlyMap<string, Methods>, path: string, method: Method): boolean {
  return [...table].some(
    ([other, methods]) =>
      other.startsWith(`${path}/:`) && !other.slice(path.length + 1).includes('/') && methods.has(method),
  )
}

/** With a slash behind it, a path ends in an id that is empty. It may be read as the path, but nothing else is done to that. */
function refusingEmptyId(door: Door, serve: Serve): Serve {
  return (exchange) => {
    const { method, url = '' } = exchange.req
    const [path = ''] = url.split('?', 1)
    const isReading = method === 'GET' || method === 'HEAD'
    return !isReading && path.endsWith('/') ? refusePath(door, exchange) : serve(exchange)
  }
}

async function refuseMethod(door: Door, { req }: Exchange, allow: readonly string[]): Promise<Answer> {
  requireNamedOrigin(req)
  if (req.method === 'OPTIONS') return answerOptions(door, req, allow)
  throw new SvcError('METHOD_NOT_ALLOWED', `"${req.method}" is not served here.`, [], { allow })
}

async function refusePath(door: Door, { req }: Exchange): Promise<Answer> {
  requireNamedOrigin(req)
  if (req.method === 'OPTIONS') return answerOptions(door, req, [])
  const [path = ''] = (req.url ?? '').split('?', 1)
  throw new SvcError('NOT_FOUND', `There is nothing at "${path.slice(0, 200)}".`)
}

async function answerOptions(door: Door, req: IncomingMessage, allow: readonly string[]): Promise<Answer> {
  const isPreflight = req.headers.origin !== undefined && (await isKnownOrigin(door, req))
  const headers = isPreflight ? preflightHeaders : {}
  return { status: 204, headers: allow.length > 0 ? { ...headers, allow: allow.join(', ') } : headers, body: '' }
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
