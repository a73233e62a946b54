/** Fault injection: what an emulator does to requests so that an app can show what it makes of it. Contract 11. */

/** What each kind does, for help and documentation. */
export const faultKinds = {
  latency: 'the answer comes later: by milliseconds, more or less by jitter',
  status: 'the request is refused with this status, and not carried out',
  drop: 'the connection breaks: before the request is carried out, or after it, so that only the answer is lost',
  slow: 'the body of the answer comes at so many bytes a second',
  cut: 'the connection breaks in the middle of the body of the answer',
  stall: 'a stream of events opens, and sends nothing',
  flap: 'connections for realtime events are closed every so many seconds',
  storage: 'the storage of files does not answer',
  'disk-full': 'the disk is full: what would take space on it fails',
  database: 'the database does not answer',
} as const

export type FaultKind = keyof typeof faultKinds

/** What is to happen, to which requests. */
export interface FaultInput {
  readonly kind: FaultKind
  /** Only requests of this method. */
  readonly method?: string | undefined
  /** Only paths like this: `*` is one segment, `**` at the end any number of them. */
  readonly path?: string | undefined
  /** Id of a project; left out, all. */
  readonly project?: string | undefined
  /** Id of a user. */
  readonly user?: string | undefined
  /** The share of the requests, from 0 to 1: which ones is drawn by `seed`. Default 1. */
  readonly rate?: number | undefined
  /** The same seed draws the same requests of a sequence. Default 1. */
  readonly seed?: number | undefined
  /** Stops after this many hits. */
  readonly times?: number | undefined
  /** Of a latency. */
  readonly milliseconds?: number | undefined
  /** Of a latency: at most so many milliseconds more or less. */
  readonly jitter?: number | undefined
  /** Of a refusal. */
  readonly status?: number | undefined
  /** Of a refusal with 429 or 503: seconds of `retry-after`. */
  readonly retryAfter?: number | undefined
  /** Of a dropped connection. Default `before`. */
  readonly when?: 'before' | 'after' | undefined
  /** Of a slow body. */
  readonly bytesPerSecond?: number | undefined
  /** Of connections that are closed: how often. */
  readonly seconds?: number | undefined
}

/** A fault that is on. */
export interface Fault extends FaultInput {
  readonly id: string
  /** The preset that it is a part of. */
  readonly preset: string | null
  readonly rate: number
  readonly seed: number
  /** Requests that it might have met. */
  readonly seen: number
  /** Requests, or connections, that it did something to. */
  readonly hits: number
}

/** Faults that belong together, by name. */
export const faultPresets = {
  'slow-3g': [
    { kind: 'latency', milliseconds: 400, jitter: 200 },
    { kind: 'slow', bytesPerSecond: 50_000 },
  ],
  flaky: [
    { kind: 'latency', milliseconds: 150, jitter: 100 },
    { kind: 'drop', when: 'before', rate: 0.05 },
    { kind: 'drop', when: 'after', rate: 0.05 },
    { kind: 'status', status: 503, retryAfter: 1, rate: 0.1 },
  ],
  'rate-storm': [{ kind: 'status', status: 429, retryAfter: 1, rate: 0.5 }],
  'database-down': [{ kind: 'database' }],
  'realtime-flaps': [
    { kind: 'flap', seconds: 3 },
    { kind: 'stall', rate: 0.1 },
  ],
} as const satisfies { readonly [name: string]: readonly FaultInput[] }

export type FaultPreset = keyof typeof faultPresets

/** Names the fault in an answer that it had a part in. */
export const faultHeader = 'svc-fault'
