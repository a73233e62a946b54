/** What Express serves: apps of their own, every place, and what every other path answers. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express, Request, Response } from 'express'
import type { Exchange, HttpContext, Serve } from './exchange.js'
import { refusePath, type ServedPath } from './places.js'
import { run } from './run.js'

/** Answers one request to a place. `pattern` is the place's path. */
export type Respond = (
  pattern: string,
  serve: Serve,
  req: IncomingMessage & { params?: object },
  res: ServerResponse,
) => Promise<void>

/** Mounts places in the order in which they are given. */
export function mountPlaces(app: Express, places: readonly ServedPath[], respond: Respond): void {
  for (const { path, methods, others } of places) {
    const mounted = app.route(path)
    for (const [method, serve] of methods) mounted[method]((req, res) => respond(path, serve, req, res))
    if (others) mounted.all((req, res) => respond(path, others, req, res))
  }
}

/**
 * Hands all that is below a path to an app of its own, except for requests whose host is not allowed. Its answers have the id of
 * their request, as all others have.
 */
export function mountApp(app: Express, http: HttpContext, path: string, answer: RequestListener): void {
  app.use(path, (req, res) => {
    try {
      http.requireHost(req.headers.host)
    } catch {
      return run(http, path, (exchange) => refusePath(http, exchange), req, res)
    }
    res.setHeader('x-request-id', randomUUID())
    return answer(req, res)
  })
}

/** What every other path answers. */
export function mountRest(app: Express, http: HttpContext): void {
  app.use((req, res) => run(http, '*', (exchange) => refusePath(http, exchange), req, res))
  // Express knows this one by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: unknown) => {
    const serve = (exchange: Exchange) => {
      // A path whose percent encoding is bad names nothing.
      if (error instanceof URIError) return refusePath(http, exchange)
      throw error
    }
    return run(http, '*', serve, req, res)
  })
}
