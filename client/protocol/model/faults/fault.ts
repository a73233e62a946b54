/** Faults that an emulator injects into requests, to test how an app handles them. Contract 11. */

/** Describes each kind, for help and documentation. */
export const faultKinds = {
  latency: 'delays the response by milliseconds, plus or minus jitter',
  status: 'refuses the request with this status, without running it',
  drop: 'breaks the connection before the request runs, or after it, so that only the response is lost',
  slow: 'sends the body of the response at this many bytes per second',
  cut: 'breaks the connection in the middle of the response body',
  stall: 'opens an event stream but sends nothing',
  flap: 'closes realtime connections every so many seconds',
  storage: 'makes the file storage unavailable',
  'disk-full': 'fails writes as if the disk were full',
  database: 'makes the database unavailable',
} as const

export type FaultKind = keyof typeof faultKinds

/** A fault to inject, and the requests it applies to. */
export interface FaultInput {
  readonly kind: FaultKind
  /** Limits the fault to this method. */
  readonly method?: string | undefined
  /** Limits the fault to these paths: `*` matches one segment, a final `**` any number. */
  readonly path?: string | undefined
  /** Id of a project. Default: all. */
  readonly project?: string | undefined
  /** Id of a user. */
  readonly user?: string | undefined
  /** Share of the requests from 0 to 1, drawn at random by `seed`. Default 1. */
  readonly rate?: number | undefined
  /** The same seed selects the same requests of a sequence. Default 1. */
  readonly seed?: number | undefined
  /** Stops after this many hits. */
  readonly times?: number | undefined
  /** For `latency`. */
  readonly milliseconds?: number | undefined
  /** For `latency`: maximum deviation in milliseconds. */
  readonly jitter?: number | undefined
  /** For `status`. */
  readonly status?: number | undefined
  /** For `status` 429 and 503: seconds of `retry-after`. */
  readonly retryAfter?: number | undefined
  /** For `drop`. Default `before`. */
  readonly when?: 'before' | 'after' | undefined
  /** For `slow`. */
  readonly bytesPerSecond?: number | undefined
  /** For `flap`: interval in seconds. */
  readonly seconds?: number | undefined
}

/** An active fault. */
export interface Fault extends FaultInput {
  readonly id: string
  /** Preset that added the fault. */
  readonly preset: string | null
  readonly rate: number
  readonly seed: number
  /** Number of matching requests. */
  readonly seen: number
  /** Number of affected requests or connections. */
  readonly hits: number
}

/** Named groups of faults. */
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
  offline: [{ kind: 'drop', when: 'before' }, { kind: 'flap', seconds: 1 }, { kind: 'stall' }],
  'rate-storm': [{ kind: 'status', status: 429, retryAfter: 1, rate: 0.5 }],
  'database-down': [{ kind: 'database' }],
  'realtime-flaps': [
    { kind: 'flap', seconds: 3 },
    { kind: 'stall', rate: 0.1 },
  ],
} as const satisfies { readonly [name: string]: readonly FaultInput[] }

export type FaultPreset = keyof typeof faultPresets

/** Header that names the fault in affected responses. */
export const faultHeader = 'svc-fault'
