/**
 * Logs the last requests of all projects, and the last refused ones of each project, in memory. Limits their number
 * and bytes. Contract 11.
 */
import { randomBytes } from 'node:crypto'
import type { SvcError } from '../../../client/protocol/model/errors.js'
import type { SqlValue } from '../../database/port.js'
import type { Identity } from '../identity.js'

const maxRequests = 1_000
/** Refused requests to keep per project, whatever came since. Those without a project count as one project. */
const maxRefused = 200
/** Refused requests to keep in all, because one client can make many projects. */
const maxRefusedInAll = 2_000

/** Limit for bodies and statements of all requests. Above it, the oldest lose theirs. */
const maxBytes = 32 * 1024 * 1024

/** The logged part of a body. */
export interface KeptBody {
  readonly type: string | null
  /** Actual size; null if it was not counted. */
  readonly bytes: number | null
  readonly content: string | Buffer | null
  readonly isCut: boolean
  /** Whether secrets were masked. */
  readonly isMasked: boolean
  readonly leftOut: 'empty' | 'binary' | 'stream' | 'secret' | 'unread' | 'memory' | null
}

export interface KeptStatement {
  readonly text: string
  /** Undefined if the values may be secrets or are too large. */
  readonly values: readonly SqlValue[] | undefined
  readonly parameters: number
  readonly milliseconds: number
  readonly rows: number | null
}

export interface Timing {
  readonly total: number
  readonly receiving: number
  readonly queue: number
  readonly database: number
  readonly hashing: number
  readonly writing: number
}

/** Ids of the caller. */
export interface KeptCaller {
  readonly key: { readonly id: string; readonly secret: boolean } | undefined
  readonly user: { readonly id: string } | undefined
  readonly secret: boolean
}

/** A logged request. Contains no credentials. */
export interface KeptRequest {
  readonly id: string
  /** Milliseconds since 1970, by the machine's clock. */
  readonly at: number
  readonly state: 'open' | 'answered' | 'aborted'
  readonly method: string
  readonly url: string
  readonly route: string | null
  /** Whether the route's bodies and URLs are secrets. */
  readonly isSecret: boolean
  readonly project: string | null
  readonly caller: KeptCaller | undefined
  readonly dialect: string
  readonly status: number | null
  readonly error: Pick<SvcError, 'code' | 'message' | 'issues' | 'reason'> | undefined
  readonly address: string
  readonly origin: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: KeptBody
  readonly answerHeaders: Readonly<Record<string, string>>
  readonly answerBody: KeptBody
  readonly timing: Timing
  readonly statements: readonly KeptStatement[]
  readonly statementCount: number
  /** Whether the client disconnected before the response, which is not an error. */
  readonly hasCallerLeft: boolean
  readonly replayOf: string | null
}

/** A logged request that is sent again. */
export interface Replay {
  readonly of: string
  /** The identity to use; undefined if the request carries its own credentials, or none. */
  readonly identity: Identity | undefined
  /** Receives the log entry of the replay. */
  recorded(request: KeptRequest): void
}

export interface RequestLog {
  /** Whether requests are logged. If not, nothing needs to be collected. */
  readonly isOn: boolean
  add(request: KeptRequest): void
  /** Replaces a request that is still in the log. */
  change(id: string, become: (request: KeptRequest) => KeptRequest): void
  get(id: string): KeptRequest | undefined
  /** Returns the newest first. */
  list(): readonly KeptRequest[]
  /** Clears all requests, or those of a project, and returns how many there were. */
  clear(project?: string): number
  /** Pending replays, each under a secret that works once. */
  readonly replays: { add(replay: Replay): string; take(secret: string): Replay | undefined }
  /** Calls `receive` for each added or changed request, until the returned function is called. */
  watch(receive: (request: KeptRequest) => void): () => void
}

export function openRequestLog({ isOn }: { readonly isOn: boolean }): RequestLog {
  let requests: KeptRequest[] = []
  let bytes = 0
  /** Number of the oldest requests that have lost their bodies. */
  let lightened = 0
  let addedSinceDrop = 0
  const watchers = new Set<(request: KeptRequest) => void>()

  function lighten(): void {
    while (bytes > maxBytes && lightened < requests.length) {
      const heavy = requests[lightened]
      if (heavy) requests[lightened] = withoutBodies(heavy)
      bytes -= heavy ? measureContent(heavy) : 0
      lightened++
    }
  }

  /** Drops a tenth at a time, so that not every request moves the whole array. */
  function drop(): void {
    if (++addedSinceDrop < maxRequests / 10) return
    addedSinceDrop = 0
    const kept = new Set(selectKept(requests))
    const light = requests.slice(0, lightened)
    for (const request of requests.slice(lightened)) if (!kept.has(request)) bytes -= measureContent(request)
    requests = requests.filter((request) => kept.has(request))
    lightened = light.filter((request) => kept.has(request)).length
  }

  function publish(request: KeptRequest): void {
    for (const receive of watchers) receive(request)
  }

  return {
    isOn,
    add(request) {
      requests.push(request)
      bytes += measureContent(request)
      drop()
      lighten()
      publish(request)
    },
    change(id, become) {
      const at = requests.findLastIndex((request) => request.id === id)
      const before = requests[at]
      if (!before) return
      const after = become(before)
      requests[at] = after
      publish(after)
    },
    get: (id) => selectKept(requests).find((request) => request.id === id),
    list: () => selectKept(requests).reverse(),
    clear(project) {
      const before = selectKept(requests)
      requests = project === undefined ? [] : before.filter((request) => request.project !== project)
      bytes = requests.reduce((sum, request) => sum + measureContent(request), 0)
      lightened = 0
      return before.length - requests.length
    },
    replays: openReplays(),
    watch(receive) {
      watchers.add(receive)
      return () => watchers.delete(receive)
    },
  }
}

/** Picks the requests to keep, oldest first. */
function selectKept(requests: readonly KeptRequest[]): KeptRequest[] {
  const refused = new Map<string | null, number>()
  const recent = requests.slice(-maxRequests)
  const older = requests.slice(0, -maxRequests)
  const count = (request: KeptRequest) => {
    const counted = (refused.get(request.project) ?? 0) + 1
    refused.set(request.project, counted)
    return counted
  }
  // Counts from the newest.
  for (const request of recent) if (isRefused(request)) count(request)
  const kept = older.reverse().filter((request) => isRefused(request) && count(request) <= maxRefused)
  return [...kept.slice(0, maxRefusedInAll).reverse(), ...recent]
}

function isRefused({ status }: KeptRequest): boolean {
  return status !== null && status >= 400
}

function openReplays(): RequestLog['replays'] {
  const waiting = new Map<string, Replay>()
  return {
    add(replay) {
      const secret = randomBytes(24).toString('base64url')
      waiting.set(secret, replay)
      return secret
    },
    take(secret) {
      const replay = waiting.get(secret)
      waiting.delete(secret)
      return replay
    },
  }
}

/** Sums the characters that dropping bodies would free. A character may take two bytes. */
function measureContent({ body, answerBody, statements }: KeptRequest): number {
  const ofStatements = statements.reduce((sum, { text, values }) => sum + text.length + valuesLength(values), 0)
  return 2 * (contentLength(body) + contentLength(answerBody) + ofStatements)
}

function contentLength({ content }: KeptBody): number {
  return content?.length ?? 0
}

export function valuesLength(values: readonly SqlValue[] = []): number {
  return values.reduce<number>((sum, value) => sum + (value === null ? 0 : String(value).length), 0)
}

function withoutBodies(request: KeptRequest): KeptRequest {
  const without = (body: KeptBody): KeptBody =>
    body.content === null ? body : { ...body, content: null, isCut: false, leftOut: 'memory' }
  return { ...request, body: without(request.body), answerBody: without(request.answerBody), statements: [] }
}
