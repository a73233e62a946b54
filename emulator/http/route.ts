/** Defines the record of a route. Express and OpenAPI are both built from these records, and from nothing else. */
import type { IncomingHttpHeaders } from 'node:http'
import type { NamesIn } from '../../client/protocol/control/operation.js'
import type { ScopeAction } from '../../client/protocol/model/access/key-scope.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { Project, ProjectSettings } from '../../client/protocol/model/project.js'
import { axes, type Dialect } from '../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../client/protocol/wire/codec.js'
import type { Parameter } from '../../client/protocol/wire/query/decode.js'
import type { Backend, Context, UserContext } from '../core/context.js'
import type { VersionGuard } from '../core/documents/door.js'
import type { FileRules, Uploads } from '../core/files/uploads.js'
import type { SubscribeRequest } from '../core/realtime/subscriptions.js'
import type { Stream } from './realtime/sse.js'
import type { ReplyKind, ReplyValues } from './reply/reply.js'
import type { Placing } from './request/issue-places.js'
import type { BatchMember } from './request/scan-json.js'

export type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths of a route. Nearly all use `any`. Those at `flat` or `nested` follow the `paths` axis. */
export type Paths<Path extends string> = { readonly [Place in 'any' | Dialect['paths']]?: readonly Path[] }

/** How to parse a body, and its schema in each dialect. */
export interface BodyForm<Body> {
  /** `form` for posts of pages. Defaults to JSON. */
  readonly encoding?: 'form'
  /** The member that holds the documents of a batch. Each has the limits of a document. */
  readonly batch?: BatchMember
  schema(dialect: Dialect): JsonSchema
  read(dialect: Dialect, body: JsonObject): Body | Promise<Body>
  /** Maps issues of the core to places in the body. Defaults to the same path. Contract 10.4. */
  places?(dialect: Dialect, body: JsonObject): Placing
}

/** How to read a multipart form: which parts are text, and how to interpret them. Every other part is a file. Contract 3.4. */
export interface FileForm {
  readonly texts: readonly string[]
  /** The limits for a file. */
  fileRules(settings: ProjectSettings): Omit<FileRules, 'project' | 'isHashed' | 'room'>
  /** The most files in one form. Defaults to the limit for documents. */
  readonly maxFiles?: number
  /**
   * Checks a file before its bytes are stored.
   *
   * @param others the number of files before it
   * @throws {SvcError} if the route would refuse the file
   */
  requireFile?(field: string, others: number): void
  /** Whether to hash files even without an idempotency key. */
  readonly isHashed?: boolean
  /** Builds the JSON body that the texts stand for. */
  toBody(texts: ReadonlyMap<string, string>): JsonObject | Promise<JsonObject>
  /** Whether the part `data` is the whole JSON body. */
  readonly isBodyInData?: boolean
  /** Whether the route refuses JSON. */
  readonly isOnly?: boolean
  readonly schema: JsonSchema
}

/** How to read the query parameters, and their description for OpenAPI. */
export interface QueryForm<Query> {
  parameters(dialect: Dialect): readonly QueryParameter[]
  read(dialect: Dialect, parameters: readonly Parameter[]): Query
}

export interface QueryParameter {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  readonly required?: boolean
  readonly style?: string
  readonly explode?: boolean
}

export interface RouteInput<Name extends string, Body, Query> {
  readonly params: { readonly [Key in Name]: string }
  readonly body: Body
  readonly query: Query
  readonly dialect: Dialect
  /** Stored files that came with the body. Those that are not adopted are removed. */
  readonly uploads: Uploads
  /** From `if-match`. Contract 3.8. */
  readonly guard: VersionGuard
  /** The client address, as far as trusted proxies report it. */
  readonly address: string
  /** Whether the client is a program on this machine. */
  readonly isLocal: boolean
  readonly headers: IncomingHttpHeaders
  /** The body as it arrives, for a route that defines no body. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** The ends of open streams, each called when the service closes. */
  readonly openStreams: Set<() => void>
  /** Opens a stream of events in the request's dialect. */
  stream(ctx: Context, request: SubscribeRequest): Promise<Stream>
}

/** The input of a route, before its body is read. */
export type RouteHead = Omit<RouteInput<string, unknown, unknown>, 'body' | 'uploads'>

/**
 * The callers of a route. `caller` takes a key of the project, a user token or both. `key` requires a key, `user` a user token.
 * `public` routes are open to every page, because the request carries a secret. `nothing` is for pages opened by their address.
 */
interface Worlds {
  readonly caller: Context
  readonly key: Context
  readonly user: UserContext
  readonly public: Backend
  readonly control: Backend
  readonly nothing: Backend
}
export type Needs = keyof Worlds

interface RouteOf<Need extends Needs, Path extends string, Body, Query, Kind extends ReplyKind> {
  readonly id: string
  readonly summary: string
  readonly method: RouteMethod
  readonly paths: Paths<Path>
  readonly needs: Need
  readonly query?: QueryForm<Query>
  readonly body?: BodyForm<Body>
  /** Set if the route takes files. */
  readonly form?: FileForm
  /**
   * Refuses what `handle` would refuse, from address and caller alone, before the bytes of files are stored. Contract 10.12.
   */
  beforeFiles?(
    world: Worlds[Need],
    input: Pick<RouteInput<NamesIn<Path>, Body, Query>, 'params' | 'query' | 'guard'>,
  ): Promise<unknown>
  /** A collection whose name ends the path: if the project has it, another route serves the request instead. */
  readonly gives?: { readonly way: string; readonly to: Route }
  /** Whether other methods at these paths belong to the more general path that also matches. */
  readonly sharesPaths?: boolean
  /** Whether the route accepts `if-match`. */
  readonly isGuarded?: boolean
  /** Whether the route accepts an `idempotency-key`. Contract 3.9. */
  readonly isCreating?: boolean
  /**
   * The scope that a key needs for the whole project. `in collection` if the core checks it per collection. Defaults to `read`
   * or `write`, by the method.
   */
  readonly scope?: ScopeAction | 'in collection' | 'none'
  /** Whether a ticket in the address can replace the key or token. Contract 9.5. */
  readonly takesTicket?: boolean
  /** Whether a POST only reads, so that users with an unverified address may use it. Contract 6.9. */
  readonly isReading?: boolean
  /** Finds the project in the path or body of a public request, for the dialect of the answer. Contract 1. */
  projectOf?(backend: Backend, input: RouteInput<NamesIn<Path>, Body, Query>): Promise<Project | undefined>
  /** Whether the answer has to be built for this request. It then counts against the budget of the caller's address. */
  isExpensive?(input: RouteInput<NamesIn<Path>, Body, Query>): boolean
  /** Whether a public route costs no more than its bytes, so that it doesn't count against the budget. */
  readonly isFree?: boolean
  /** Whether a page of another origin sends the browser here. Such a page can't read the answer. */
  readonly isNavigation?: boolean
  readonly status?: 200 | 201 | 302 | 303
  readonly reply: Kind
  /** The schema of a plain answer. */
  answerSchema?(): JsonSchema
  handle(
    world: Worlds[Need],
    input: RouteInput<NamesIn<Path>, Body, Query>,
  ): ReplyValues[Kind] | Promise<ReplyValues[Kind]>
}

/** A route of any kind, for code that serves and describes routes. */
export type Route = { [Need in Needs]: RouteOf<Need, string, unknown, unknown, ReplyKind> }[Needs]

/** Whether a route belongs to a project and is called with its keys or users. */
export function isOfProject(needs: Needs): needs is 'caller' | 'key' | 'user' {
  return needs === 'caller' || needs === 'key' || needs === 'user'
}

/** Whether the dialect has the route. */
export function isInDialect({ method }: Route, { refusals }: Dialect): boolean {
  return method !== 'put' || axes.refusals[refusals].hasPut
}

/** Whether the answer holds many documents, which a caller may decline. */
export function isBatch({ reply }: Route): boolean {
  return reply === 'documents' || reply === 'updatedDocuments'
}

/** Type-checks a route against its own paths, body, query and reply. */
export function route<
  Need extends Needs,
  const Path extends string,
  Kind extends ReplyKind,
  Body = undefined,
  Query = undefined,
>(route: RouteOf<Need, Path, Body, Query, Kind>): Route {
  // Safe, because a route gets exactly the input that it declares: `run` reads both from this record.
  return route as Route
}

/** The route for a path and method, by the `paths` axis. Nearly always the same one. */
export type Endpoint = { readonly [Place in Dialect['paths']]: Route }
