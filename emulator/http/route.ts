/** What a route says of itself. Express and OpenAPI are both made from these records, and from nothing else. */
import type { IncomingHttpHeaders } from 'node:http'
import type { NamesIn } from '../../client/protocol/control/operation.js'
import type { ScopeAction } from '../../client/protocol/model/access/key-scope.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { Project, ProjectSettings } from '../../client/protocol/model/project.js'
import type { Dialect } from '../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../client/protocol/wire/codec.js'
import type { Parameter } from '../../client/protocol/wire/query/decode.js'
import type { Backend, Context, UserContext } from '../core/context.js'
import type { VersionGuard } from '../core/documents/writing.js'
import type { FileRules, Uploads } from '../core/files/uploads.js'
import type { Wish } from '../core/realtime/subscriptions.js'
import type { Stream } from './realtime/sse.js'
import type { ReplyKind, ReplyValues } from './reply/reply.js'
import type { Placing } from './request/issue-places.js'
import type { BatchMember } from './request/scan-json.js'

export type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Where a route is. Nearly all are at `any`; what stands at `flat` or `nested` follows the `paths` axis. */
export type Paths<Path extends string> = { readonly [Place in 'any' | Dialect['paths']]?: readonly Path[] }

/** How a body is read and what it must look like, in each dialect. */
export interface BodyForm<Body> {
  /** `form` for what pages post; left out, JSON. */
  readonly encoding?: 'form'
  /** The member that holds the documents of a batch, each of which has the limits of a document. */
  readonly batch?: BatchMember
  schema(dialect: Dialect): JsonSchema
  read(dialect: Dialect, body: JsonObject): Body | Promise<Body>
  /** Where in the body stands what the core finds wrong in what was read; left out, at the same path. Contract 10.4. */
  places?(dialect: Dialect, body: JsonObject): Placing
}

/** How a multipart form is taken: which parts are text, and what they mean; every other part is a file. Contract 3.4. */
export interface FileForm {
  readonly texts: readonly string[]
  /** What one file may be. */
  fileRules(settings: ProjectSettings): Omit<FileRules, 'project' | 'isHashed' | 'room'>
  /** How many files one form may have; left out, as many as a document's. */
  readonly mostFiles?: number
  /**
   * Looks at a file before its bytes land.
   *
   * @param others how many came before it
   * @throws {SvcError} for one that the route would refuse
   */
  requireFile?(field: string, others: number): void
  /** Whether files are hashed though no request is repeated. */
  readonly isHashed?: boolean
  /** The JSON body that the texts stand for. */
  toBody(texts: ReadonlyMap<string, string>): JsonObject | Promise<JsonObject>
  /** Whether the part `data` is the whole JSON body. */
  readonly isBodyInData?: boolean
  /** Whether JSON is not taken at all. */
  readonly isOnly?: boolean
  readonly schema: JsonSchema
}

/** How the parameters of an address are read, and what OpenAPI says of them. */
export interface QueryForm<Query> {
  parameters(dialect: Dialect): readonly QueryParameter[]
  read(dialect: Dialect, parameters: readonly Parameter[]): Query
}

export interface QueryParameter {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  readonly style?: string
  readonly explode?: boolean
}

export interface RouteInput<Name extends string, Body, Query> {
  readonly params: { readonly [Key in Name]: string }
  readonly body: Body
  readonly query: Query
  readonly dialect: Dialect
  /** Files that came with the body, whose bytes have landed. Those that are not adopted are removed. */
  readonly uploads: Uploads
  /** From `if-match`. Contract 3.8. */
  readonly guard: VersionGuard
  /** Where the client is, as far as trusted proxies say. */
  readonly address: string
  /** Whether it is a program of this machine. */
  readonly isLocal: boolean
  readonly headers: IncomingHttpHeaders
  /** The body as it comes in, of a route that describes none. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** The ends of streams that are open, each called when the service closes. */
  readonly openStreams: Set<() => void>
  /** Opens a stream of events in the request's dialect. */
  stream(ctx: Context, wish: Wish): Promise<Stream>
}

/**
 * Who a route is for: `caller` takes a key of the project, a user's token or both; `key` must have a key, `user` a user's
 * token. `public` is for any page, since what it takes is a secret of its own; `nothing` for pages opened by their address.
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
  /** Takes files. */
  readonly form?: FileForm
  /** Refuses by the address and the caller what `handle` would refuse, before the bytes of files land. Contract 10.12. */
  beforeFiles?(
    world: Worlds[Need],
    input: Pick<RouteInput<NamesIn<Path>, Body, Query>, 'params' | 'query' | 'guard'>,
  ): Promise<unknown>
  /** Other methods at these paths belong to the more general path that they could be read as. */
  readonly sharesPaths?: boolean
  /** Takes an `if-match`. */
  readonly isGuarded?: boolean
  /** Takes an `idempotency-key`. Contract 3.9. */
  readonly isCreating?: boolean
  /**
   * What a scope of the key has to name for the whole project; `in collection` where the core asks for the collection. Left out,
   * `read` or `write`, as the route reads or writes.
   */
  readonly scope?: ScopeAction | 'in collection' | 'none'
  /** A ticket in the address may stand for the key or token. Contract 9.5. */
  readonly takesTicket?: boolean
  /** Reads although it is a POST, so that users with an unverified address may use it. Contract 6.9. */
  readonly isReading?: boolean
  /** The project that the path or the body of a public request names, whose dialect the answer is written in. Contract 1. */
  projectOf?(backend: Backend, input: RouteInput<NamesIn<Path>, Body, Query>): Promise<Project | undefined>
  /** Whether what is for anyone has to be made for this request: then it takes from a budget of the caller's address. */
  isDear?(input: RouteInput<NamesIn<Path>, Body, Query>): boolean
  /** A public route that costs no more than its own bytes: it takes nothing from the budget of the others. */
  readonly isFree?: boolean
  /** A public route that a browser is sent to by a page of another origin, which reads nothing of the answer. */
  readonly isNavigation?: boolean
  readonly status?: 200 | 201 | 302 | 303
  readonly reply: Kind
  /** What a plain answer looks like. */
  answerSchema?(): JsonSchema
  handle(
    world: Worlds[Need],
    input: RouteInput<NamesIn<Path>, Body, Query>,
  ): ReplyValues[Kind] | Promise<ReplyValues[Kind]>
}

/** A route as the ones who serve and describe it see it. */
export type Route = { [Need in Needs]: RouteOf<Need, string, unknown, unknown, ReplyKind> }[Needs]

/** Whether a route belongs to a project, whose key or user asks. */
export function isOfProject(needs: Needs): needs is 'caller' | 'key' | 'user' {
  return needs === 'caller' || needs === 'key' || needs === 'user'
}

/** Whether its answer is many documents at once, which a caller may do without. */
export function isBatch({ reply }: Route): boolean {
  return reply === 'documents'
}

/** Checks a route against its own paths, body, query and reply. */
export function route<
  Need extends Needs,
  const Path extends string,
  Kind extends ReplyKind,
  Body = undefined,
  Query = undefined,
>(route: RouteOf<Need, Path, Body, Query, Kind>): Route {
  // What a route reads is exactly what it is handed: `run` takes both from this same record.
  return route as Route
}

/** The route that a path and method mean, by the `paths` axis; nearly always the same. */
export type Endpoint = { readonly [Place in Dialect['paths']]: Route }
