/**
 * The last requests of all projects and the last refused ones of each, in memory only. What they hold is bounded in number and in
 * bytes. Contract 11.
 */
import { randomBytes } from 'node:crypto'
import type { SvcError } from '../../../client/protocol/model/errors.js'
import type { SqlValue } from '../../database/port.js'
import type { Identity } from '../identity.js'

const mostRequests = 1_000
/** Refused ones of each project, however many other requests came since. Those without a project count as one's. */
const mostRefused = 200

/** What bodies and statements of all of them may take; beyond it the oldest lose theirs. */
const mostBytes = 32 * 1024 * 1024

/** A body as far as it is kept. */
export interface KeptBody {
  readonly type: string | null
  /** Its true size; null where it was not counted. */
  readonly bytes: number | null
  readonly content: string | Buffer | null
  readonly isCut: boolean
  /** Whether secrets in it were masked before it was kept. */
  readonly isMasked: boolean
  readonly leftOut: 'empty' | 'binary' | 'stream' | 'secret' | 'unread' | 'memory' | null
}

export interface KeptStatement {
  readonly text: string
  /** Undefined where they may be secrets or are too large. */
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

/** Who asked, by ids. */
export interface KeptCaller {
  readonly key: { readonly id: string; readonly secret: boolean } | undefined
  readonly user: { readonly id: string } | undefined
  readonly secret: boolean
}

/** A request as it is kept. Nothing in it opens anything. */
export interface KeptRequest {
  readonly id: string
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly at: number
  readonly state: 'open' | 'answered' | 'aborted'
  readonly method: string
  readonly url: string
  readonly route: string | null
  /** Whether bodies and addresses of its route are secrets. */
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
  /** Before it was answered, which is no failure. */
  readonly hasCallerLeft: boolean
  readonly replayOf: string | null
}

/** A kept request that is sent once more. */
export interface Replay {
  readonly of: string
  /** Whose rights it has; nothing where it carries its own, or none. */
  readonly identity: Identity | undefined
  /** Receives the record of it. */
  recorded(request: KeptRequest): void
}

export interface RequestLog {
  /** Whether anything is kept; otherwise it need not be gathered. */
  readonly isOn: boolean
  add(request: KeptRequest): void
  /** Puts what has become of a request in its place, while it is kept. */
  change(id: string, become: (request: KeptRequest) => KeptRequest): void
  get(id: string): KeptRequest | undefined
  /** The newest first. */
  list(): readonly KeptRequest[]
  /** Clears all, or those of a project; says how many. */
  clear(project?: string): number
  /** The replays on their way, each by a secret that is taken once. */
  readonly replays: { add(replay: Replay): string; take(secret: string): Replay | undefined }
  /** Receives each request that is added or changed, until the returned function is called. */
  watch(receive: (request: KeptRequest) => void): () => void
}

export function openRequestLog({ isOn }: { readonly isOn: boolean }): RequestLog {
  let requests: KeptRequest[] = []
  let bytes = 0
  /** How many of the oldest have lost their bodies. */
  let lightened = 0
  let addedSinceDrop = 0
  const watchers = new Set<(request: KeptRequest) => void>()

  function lighten(): void {
    while (bytes > mostBytes && lightened < requests.length) {
      const heavy = requests[lightened]
      if (heavy) requests[lightened] = withoutBodies(heavy)
      bytes -= heavy ? weightOf(heavy) : 0
      lightened++
    }
  }

  /** In steps of a tenth, so that not every request moves all of them. */
  function drop(): void {
    if (++addedSinceDrop < mostRequests / 10) return
    addedSinceDrop = 0
    const kept = new Set(keptOf(requests))
    const light = requests.slice(0, lightened)
    for (const request of requests.slice(lightened)) if (!kept.has(request)) bytes -= weightOf(request)
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
      bytes += weightOf(request)
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
    get: (id) => keptOf(requests).find((request) => request.id === id),
    list: () => keptOf(requests).reverse(),
    clear(project) {
      const before = keptOf(requests)
      requests = project === undefined ? [] : before.filter((request) => request.project !== project)
      bytes = requests.reduce((sum, request) => sum + weightOf(request), 0)
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

/** The oldest first. */
function keptOf(requests: readonly KeptRequest[]): KeptRequest[] {
  const refused = new Map<string | null, number>()
  const recent = requests.slice(-mostRequests)
  const older = requests.slice(0, -mostRequests)
  const count = (request: KeptRequest) => {
    const counted = (refused.get(request.project) ?? 0) + 1
    refused.set(request.project, counted)
    return counted
  }
  // Counted from the newest.
  for (const request of recent) if (isRefused(request)) count(request)
  const kept = older.reverse().filter((request) => isRefused(request) && count(request) <= mostRefused)
  return [...kept.reverse(), ...recent]
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

/** What a request holds that can be let go. A character may take two bytes. */
function weightOf({ body, answerBody, statements }: KeptRequest): number {
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
