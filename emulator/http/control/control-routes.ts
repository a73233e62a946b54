/** Builds the routes of the control API from its contract and one handler per operation. */
import { type Contract, contract } from '../../../client/protocol/control/contract.js'
import type {
  NamesIn,
  Operation,
  ReadOnly,
  ReadRequestOf,
  ReplyOf,
} from '../../../client/protocol/control/operation.js'
import { controlPath, operations } from '../../../client/protocol/control/operations.js'
import type { JsonText, Writable, WritableObject } from '../../../client/protocol/model/json.js'
import type { Backend } from '../../core/context.js'
import type { Uploads } from '../../core/files/uploads.js'
import type { Stream } from '../realtime/sse.js'
import { jsonSchema, strictBody } from '../request/body-forms.js'
import { ownersForm } from '../request/file-forms.js'
import { zodQuery } from '../request/read-list.js'
import { type Route, type RouteInput, type RouteMethod, route } from '../route.js'

/** A handler for each operation. The compiler requires all of them, with replies that match the contract. */
export type ControlHandlers = HandlersOf<typeof operations, Contract>

type HandlersOf<Paths, Shapes> = {
  readonly [Name in keyof Paths & keyof Shapes]: Paths[Name] extends string
    ? Handler<NamesIn<Paths[Name]>, ReadRequestOf<Shapes[Name]>, HandledReply<Shapes[Name]>>
    : HandlersOf<Paths[Name], Shapes[Name]>
}

/** `request` is the parsed query or body. `uploads` are the files of a form. */
type Handler<Name extends string, Request, Reply> = (
  backend: Backend,
  input: {
    readonly params: { readonly [Key in Name]: string }
    readonly request: Request
    readonly uploads: Uploads
    /** The ends of open streams, each called when the service closes. */
    readonly streams: Set<() => void>
  },
) => Reply | Promise<Reply>

type HandledReply<Shape> = Shape extends { readonly isStream: true } ? Stream : Replied<ReplyOf<Shape>>

/** In a reply, an object with arbitrary fields may already be JSON text. */
type Replied<Reply> = ReadOnly<Reply, JsonText | WritableObject>

/** A subset of the handlers: each resource with some or all of its operations. */
export type SomeHandlers = { readonly [Name in keyof ControlHandlers]?: Partial<ControlHandlers[Name]> }

/** Builds a route for each handler that is given. */
export function buildRoutes(handlers: SomeHandlers): Route[] {
  return routesBelow('control', operations, contract, handlers)
}

type Tree<Leaf> = { readonly [name: string]: Leaf | Tree<Leaf> }
type AnyHandler<Reply> = (backend: Backend, input: object) => Reply | Promise<Reply>

/** Walks the three trees, which share their names as their types guarantee. Skips operations without a handler. */
function routesBelow(id: string, paths: Tree<string>, shapes: object, handlers: object): Route[] {
  return Object.entries(paths).flatMap(([name, place]) => {
    const [shape, handler] = [readMember(shapes, name), readMember(handlers, name)]
    if (!shape || !handler) return []
    return typeof place === 'string'
      ? [buildRoute(`${id}.${name}`, place, shape as Operation, handler)]
      : routesBelow(`${id}.${name}`, place, shape, handler)
  })
}

function readMember(tree: object, name: string): object | undefined {
  return tree[name as keyof typeof tree]
}

function buildRoute(id: string, place: string, shape: Operation, handler: object): Route {
  const [method = '', path = ''] = place.split(' ')
  const { summary, request, isForm, reply, isStream, isOpen } = shape
  const status: 200 | 201 = shape.status ?? 200
  const isInQuery = method === 'GET' || method === 'DELETE'
  const toInput = ({ params, query, body, uploads, openStreams: streams }: RouteInput<string, unknown, unknown>) => ({
    ...{ params, uploads, streams },
    request: isInQuery ? query : body,
  })
  const common = {
    id,
    summary,
    method: method.toLowerCase() as RouteMethod,
    paths: { any: [controlPath + path] },
    needs: isOpen ? ('nothing' as const) : ('control' as const),
    ...(request && (isInQuery ? { query: zodQuery(request) } : { body: strictBody(request) })),
    ...(isForm ? { form: ownersForm } : {}),
    status,
    answerSchema: () => jsonSchema(reply, 'output'),
  }
  if (isStream) {
    const open = handler as AnyHandler<Stream>
    return route({ ...common, reply: 'events', handle: (backend: Backend, input) => open(backend, toInput(input)) })
  }
  const answer = handler as AnyHandler<Writable>
  return route({ ...common, reply: 'plain', handle: (backend: Backend, input) => answer(backend, toInput(input)) })
}
