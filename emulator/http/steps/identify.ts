/** The first step: who sends the request, and for which project. */
import type { IncomingMessage } from 'node:http'
import { httpStatus, SvcError } from '../../../client/protocol/model/errors.js'
import { axes } from '../../../client/protocol/wire/axes.js'
import type { Identity } from '../../core/context.js'
import { useTicket } from '../../core/realtime/tickets.js'
import { countUnknownKey, credentialsProblem, identifyCaller, withinKeyBudget } from '../guards/identify.js'
import type { HttpContext } from '../http-context.js'
import { dialectHeader, firstReadable, isLifting, projectDialect } from '../reply/spoken-dialect.js'
import { readParameters } from '../request/read-list.js'
import { inProject } from '../requests/record.js'
import type { Route } from '../route.js'
import type { Identified, Incoming, Reach } from '../stages.js'

/**
 * Identifies the sender by key, token or ticket. A replay keeps its first identity.
 *
 * @throws {SvcError} `UNAUTHORIZED`, `INVALID_TOKEN`, `RATE_LIMITED`
 */
export async function identify(http: HttpContext, route: Route, incoming: Incoming, reach: Reach): Promise<Identified> {
  const { req } = incoming
  const asking = route.takesTicket ? reach({ ...incoming, requestedDialect: readParameter(req, 'dialect') }) : incoming
  const identity = await withinKeyBudget(http.publicBudget, asking.address, () =>
    findIdentity(http, route, asking).catch((error) => {
      if (isRefusal(error)) reach({ ...asking, isRefused: true })
      throw error
    }),
  )
  return reach(identified(http, asking, identity))
}

/**
 * Identifies the sender of a request that needs no authorization. Invalid credentials count as not sent, because apps keep
 * sending expired tokens and browsers send proxy passwords.
 */
export async function identifyIfValid(
  http: HttpContext,
  incoming: Incoming,
  reach: Reach,
): Promise<Identified | undefined> {
  const { backend, req } = incoming
  const { headers } = req
  if (headers.authorization === undefined && headers['x-api-key'] === undefined) return undefined
  try {
    return reach(identified(http, incoming, await identifyCaller(backend, headers)))
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

function identified(http: HttpContext, incoming: Incoming, identity: Identity): Identified {
  return inProject(http, { ...incoming, dialect: projectDialect(identity.project) }, identity)
}

async function findIdentity(http: HttpContext, route: Route, incoming: Incoming): Promise<Identity> {
  const { backend, req, replay } = incoming
  if (replay?.identity) return replay.identity
  const ticket = route.takesTicket ? readParameter(req, 'ticket') : undefined
  if (ticket) return useTicket(backend, ticket)
  try {
    return await identifyCaller(backend, req.headers)
  } catch (error) {
    const byKey = await identifyByKeyAlone(http, route, incoming, error)
    if (byKey) return byKey
    throw error
  }
}

/**
 * Ignores a bearer token that is not valid, sent with a valid key, in dialects that treat its sender as anonymous. Counts a
 * text that may be a guess at a key all the same.
 */
async function identifyByKeyAlone(
  { home, publicBudget }: HttpContext,
  route: Route,
  { backend, req, address }: Incoming,
  error: unknown,
): Promise<Identity | undefined> {
  const { authorization, ...headers } = req.headers
  const isBad =
    (error instanceof SvcError && error.code === 'INVALID_TOKEN') || credentialsProblem(error) === 'unknown bearer'
  if (!isBad || route.needs !== 'caller' || authorization === undefined || headers['x-api-key'] === undefined) {
    return undefined
  }
  const identity = await identifyCaller(backend, headers)
  const base = projectDialect(identity.project)
  const asked = firstReadable([dialectHeader(req)], base)
  const { refusals } = home === undefined && isLifting(asked, base) ? base : asked
  if (axes.refusals[refusals].refusesBadTokens) return undefined
  countUnknownKey(publicBudget, address, error)
  return identity
}

function isRefusal(error: unknown): boolean {
  return error instanceof SvcError && httpStatus(error) === 401
}

function readParameter({ url = '' }: IncomingMessage, name: string): string | undefined {
  return readParameters(url).find(([other]) => other === name)?.[1]
}
