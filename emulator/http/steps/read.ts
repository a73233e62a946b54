/** The third step: what the request asks for, in its address, headers and body. */

import { isFromThisMachine } from '../guards/client-address.js'
import type { HttpContext } from '../http-context.js'
import { streamEvents } from '../realtime/sse.js'
import { admitFiles } from '../request/admit-files.js'
import { readGuard } from '../request/preconditions.js'
import { type Body, type Landing, readBody } from '../request/read-body.js'
import { readParameters } from '../request/read-list.js'
import type { Route, RouteHead, RouteInput } from '../route.js'
import type { Admitted, InDialect } from '../stages.js'

/** Reads the headers and parameters of a request. */
export function readHead({ streams }: HttpContext, route: Route, known: InDialect): RouteHead {
  const { req, address, params, dialect } = known
  const { origin = null } = req.headers
  // Refuses a bad address, also where no parameter is read.
  const parameters = readParameters(req.url ?? '')
  return {
    params,
    query: route.query?.read(dialect, parameters),
    dialect,
    guard: route.isGuarded ? readGuard(req.headers['if-match']) : 'any',
    address,
    isLocal: isFromThisMachine(req),
    headers: req.headers,
    bytes: req,
    openStreams: streams.open,
    stream(ctx, request) {
      const { key, user } = ctx.caller
      const owners = [key?.id ?? ctx.project.id, user?.id ?? address] as const
      return streams.atWork.run(owners, () => streamEvents(ctx, request, { dialect, streams, address, origin }))
    },
  }
}

/** A request whose head and body were read. */
export interface Read {
  readonly admitted: Admitted
  readonly head: RouteHead
  readonly body: Body
}

/** Reads a request of a project, and passes it on. Reserves room for its files until then. */
export async function reading<Result>(
  http: HttpContext,
  admitted: Admitted,
  answer: (read: Read) => Promise<Result>,
): Promise<Result> {
  const { ctx, served, backend, project } = admitted
  const head = readHead(http, served, admitted)
  const room = await admitFiles(ctx, served, admitted, head)
  try {
    const landing = { backend, project, room }
    return await readingBody(http, served, admitted, { landing }, (body) => answer({ admitted, head, body }))
  } finally {
    room?.close()
  }
}

/** Reads a body, and passes it on. Then removes its files, unless they were adopted. */
export async function readingBody<Result>(
  http: HttpContext,
  route: Route,
  known: InDialect,
  { landing }: { readonly landing?: Landing | undefined },
  answer: (body: Body) => Promise<Result>,
): Promise<Result> {
  const body = await readBody(http, route, known, landing)
  try {
    return await answer(body)
  } finally {
    await body.uploads.dispose().catch((error) => http.log.failure(known.id, error))
  }
}

/** Reads the input of a route without files. */
export async function readInput(
  http: HttpContext,
  route: Route,
  known: InDialect,
): Promise<RouteInput<string, unknown, unknown>> {
  const head = readHead(http, route, known)
  const { toJson, uploads } = await readBody(http, route, known)
  return { body: await route.body?.read(known.dialect, await toJson()), uploads, ...head }
}
