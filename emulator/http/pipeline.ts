/**
 * The pipeline of a request: it is identified, admitted, read and answered. Each step returns the next value, and passes it to
 * `reach`. If a later step fails, the error is answered with all that was known: dialect, headers, project, faults.
 */
import { dialects } from '../../client/protocol/wire/dialects.js'
import { requireProject } from '../core/projects/require-project.js'
import { requireKnownOrigin } from './guards/known-origins.js'
import type { HttpContext } from './http-context.js'
import type { Outgoing } from './reply/reply-form.js'
import { namedDialect, withDialect } from './reply/spoken-dialect.js'
import type { Endpoint, Route } from './route.js'
import type { Incoming, Reach } from './stages.js'
import { admit, admitCaller, admitNamed, admitNobody, enterBudget, requireControl } from './steps/admit.js'
import { answer, reply, unlessCurrent } from './steps/answer.js'
import { identify, identifyIfValid } from './steps/identify.js'
import { readHead, readInput, reading, readingBody } from './steps/read.js'

/** @throws {SvcError} any error that keeps the request from being served */
export async function serveRoute(
  http: HttpContext,
  endpoint: Endpoint,
  incoming: Incoming,
  reach: Reach,
): Promise<Outgoing> {
  const { flat: route } = endpoint
  return unlessCurrent(incoming, await serve(http, endpoint, reach({ ...incoming, route: route.id }), reach))
}

function serve(http: HttpContext, endpoint: Endpoint, incoming: Incoming, reach: Reach): Promise<Outgoing> {
  const { flat: route } = endpoint
  switch (route.needs) {
    case 'caller':
    case 'key':
    case 'user':
      return serveProject(http, endpoint, incoming, reach)
    case 'public':
      return servePublic(http, route, incoming, reach)
    case 'control':
      return serveControl(http, route, incoming, reach)
    case 'nothing':
      return serveAnyone(http, route, incoming, reach)
  }
}

/** Serves a request of a key, a user or a ticket on behalf of a project. */
async function serveProject(http: HttpContext, endpoint: Endpoint, incoming: Incoming, reach: Reach) {
  const identified = await identify(http, endpoint.flat, incoming, reach)
  const admitted = await admit(http, endpoint, identified, reach)
  return reading(http, admitted, answer)
}

type Needing<Need extends Route['needs']> = Extract<Route, { readonly needs: Need }>

/**
 * Serves a route without a key, because the request carries a secret. Failures count against a budget that is checked first,
 * before reading a body or running a statement. With a valid key or token, the rules of its project apply.
 */
async function servePublic(http: HttpContext, route: Needing<'public'>, incoming: Incoming, reach: Reach) {
  const countFailure = route.isFree ? undefined : await enterBudget(http, incoming)
  let isGood = false
  try {
    if (!route.isNavigation) await requireKnownOrigin(http, incoming.req)
    const identified = route.isNavigation ? undefined : await identifyIfValid(http, incoming, reach)
    const admitted = identified ? await admitCaller(http, identified, reach) : await admitNobody(http, incoming, reach)
    const input = await readInput(http, route, admitted)
    const project = identified ? undefined : await route.projectOf?.(admitted.backend, input)
    const known = project ? await admitNamed(http, project, admitted, reach) : admitted
    const value = await route.handle(known.backend, input)
    const outgoing = await reply(route, value, known)
    isGood = outgoing.status < 400 && !isRefused(value)
    return outgoing
  } finally {
    if (!isGood) countFailure?.()
  }
}

/** Detects a failed login, because the browser is redirected either way. */
function isRefused(value: Awaited<ReturnType<Route['handle']>>): boolean {
  return typeof value === 'object' && value !== null && 'isRefused' in value && value.isRefused === true
}

/** Serves the control API. Its answers are the same in every dialect. Takes files for the project in the path. */
async function serveControl(http: HttpContext, route: Needing<'control'>, incoming: Incoming, reach: Reach) {
  const known = reach({ ...incoming, dialect: dialects.a })
  requireControl(http, known)
  const admitted = reach({ ...known, hasControl: true })
  const head = readHead(http, route, admitted)
  const { backend, id, params, dialect } = admitted
  const landing = route.form && { backend, project: await requireProject(backend, params.project ?? '') }
  return readingBody(http, route, admitted, { landing }, async ({ toJson, uploads }) => {
    const body = await route.body?.read(dialect, await toJson())
    // Adds the request to the audit entries of the operation.
    return reply(route, await route.handle({ ...backend, requestId: id }, { ...head, body, uploads }), admitted)
  })
}

/** Serves what every page may open. */
async function serveAnyone(http: HttpContext, route: Needing<'nothing'>, incoming: Incoming, reach: Reach) {
  await requireKnownOrigin(http, incoming.req)
  const known = withDialect(http, incoming, await namedDialect(http, incoming), reach)
  const input = await readInput(http, route, known)
  if (route.isExpensive?.(input)) http.publicBudget.enter(`${input.address} for what is made for anyone`)()
  return reply(route, await route.handle(http.backend, input), known)
}
