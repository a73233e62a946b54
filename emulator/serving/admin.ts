/** Adds probes to every port of `svc serve`, and serves metrics and the control API on a separate port. */
import type { RequestListener, ServerResponse } from 'node:http'
import type { DisposalStack } from '../assembly/disposal-stack.js'
import { type Listening, listen } from '../assembly/listen.js'
import type { Backend } from '../core/context.js'
import { adminRoutes } from '../http/profiles/admin-routes.js'
import { type AppOptions, createRouteApp, type ServerHandlers } from '../http/server.js'
import { listAddresses, type ServeConfig } from './config.js'
import type { Metrics } from './metrics.js'
import { answerProbes } from './probes.js'
import type { ProcessReadiness } from './readiness.js'

export interface Drainable {
  isDraining: boolean
}

interface ServingParts {
  readonly backend: Backend
  readonly metrics: Metrics | undefined
  readonly options: AppOptions
  readonly readiness: ProcessReadiness
  readonly state: Drainable
  readonly maxClosingMilliseconds: () => number
}

/** Opens the internal port, if configured: probes, metrics and, with a token, the control API. */
export async function openAdmin(
  stack: DisposalStack,
  config: ServeConfig,
  parts: ServingParts,
): Promise<Listening | undefined> {
  const { adminToken } = config
  const { admin } = listAddresses(config)
  if (admin === undefined) return undefined
  const { backend, metrics, options, maxClosingMilliseconds } = parts
  const routes = adminToken === undefined ? [] : adminRoutes
  const control = adminToken === undefined ? {} : { control: { token: adminToken, routes } }
  const app = createRouteApp(backend, routes, { ...options, ...control })
  const answer = metrics ? answerMetrics(metrics, app.answer) : app.answer
  return stack.use(await listen(guarded({ ...app, answer }, parts), { ...admin, maxClosingMilliseconds }))
}

/** Answers probes first. While draining, closes connections after each response. */
export function guarded(
  app: ServerHandlers,
  { readiness, state }: Pick<ServingParts, 'readiness' | 'state'>,
): ServerHandlers {
  const answer: RequestListener = (req, res) => {
    if (state.isDraining) res.setHeader('connection', 'close')
    app.answer(req, res)
  }
  return { ...app, answer: answerProbes(readiness, answer) }
}

function answerMetrics(metrics: Metrics, next: RequestListener): RequestListener {
  return (req, res) => {
    const [path] = (req.url ?? '').split('?', 1)
    if (path !== '/metrics' || req.method !== 'GET') return next(req, res)
    void metrics.text().then(
      (text) => answer(res, 200, metrics.contentType, text),
      (error: Error) => answer(res, 503, 'text/plain; charset=utf-8', `${error.message}\n`),
    )
  }
}

function answer(res: ServerResponse, status: number, contentType: string, text: string): void {
  res.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text)
}
