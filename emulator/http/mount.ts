/** Mounts everything that Express serves: apps, served paths, and the answer for all other paths. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Express, Request, Response } from 'express'
import type { HttpContext } from './http-context.js'
import { refusePath, type ServedPath } from './places.js'
import { run } from './run.js'
import type { Incoming, Reach, Serve } from './stages.js'

/** Answers a request to a served path. `pattern` is that path. */
export type Respond = (
  pattern: string,
  serve: Serve,
  req: IncomingMessage & { params?: object },
  res: ServerResponse,
) => Promise<void>

/** Mounts paths in the given order. */
export function mountPlaces(app: Express, places: readonly ServedPath[], respond: Respond): void {
  for (const { path, methods, others } of places) {
    const mounted = app.route(path)
    for (const [method, serve] of methods) mounted[method]((req, res) => respond(path, serve, req, res))
    if (others) mounted.all((req, res) => respond(path, others, req, res))
  }
}

/** Mounts a separate app below a path. Refuses hosts that are not allowed. Sets the request id, as on all other answers. */
export function mountApp(app: Express, http: HttpContext, path: string, answer: RequestListener): void {
  app.use(path, (req, res) => {
    try {
      http.requireHost(req.headers.host)
    } catch {
      return run(http, path, (incoming, reach) => refusePath(http, incoming, reach), req, res)
    }
    res.setHeader('x-request-id', randomUUID())
    return answer(req, res)
  })
}

/** Answers all other paths. */
export function mountRest(app: Express, http: HttpContext): void {
  app.use((req, res) => run(http, '*', (incoming, reach) => refusePath(http, incoming, reach), req, res))
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: unknown) => {
    const serve = (incoming: Incoming, reach: Reach) => {
      // A path with invalid percent encoding matches nothing.
      if (error instanceof URIError) return refusePath(http, incoming, reach)
      throw error
    }
    return run(http, '*', serve, req, res)
  })
}
