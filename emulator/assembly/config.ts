import type { Tier } from '../../client/protocol/model/limits.js'
import type { MailUrls } from '../../client/protocol/model/mail-transports.js'
import type { RequestLine } from '../http/logging/log.js'

/** Options for starting an emulator. Every option has a default. */
export interface Config extends MailUrls {
  /** 0 picks a free port. */
  readonly port: number
  /** Picks the port instead, given the last port of the folder's emulator. */
  readonly choosePort: ((kept: number | undefined) => Promise<number>) | undefined
  /** Address to listen on. Default: this machine only, on 127.0.0.1 and ::1. */
  readonly host: string | undefined
  /** Folder for data, addresses and keys. Without it, nothing is saved. */
  readonly dir: string | undefined
  /** Git branch. Its data has a separate folder in `dir`; keys and port are shared. */
  readonly branch: string | undefined
  /**
   * Folder for keys if the disk of `dir` does not support file modes. Without it, such a disk gets new keys each time.
   */
  readonly privateDir: string | undefined
  /** Saves no data, but uses the keys in `dir`. Another emulator can use the same folder. */
  readonly memory: boolean
  /** Moves existing data aside and starts empty. */
  readonly fresh: boolean
  /** Generates a new control token for the folder. */
  readonly newToken: boolean
  /** PostgreSQL's `shared_buffers` in the embedded database. */
  readonly sharedBuffersMb: number | undefined
  /** `postgres://…` instead of the embedded database. */
  readonly databaseUrl: string | undefined
  /** Direct URL of the server if `databaseUrl` points to a pooler, for notifications and maintenance. */
  readonly databaseListenUrl: string | undefined
  /** `s3://bucket/prefix`, to store files there instead of in the folder. */
  readonly filesUrl: string | undefined
  /** Id of the project that the keys belong to, created on first use. */
  readonly project: string
  /** Dialect of the project, as in the `svc-dialect` header. Default: unchanged. */
  readonly dialect: string | undefined
  /** Plan that sets the project's limits. Default: unchanged. */
  readonly tier: Tier | undefined
  /** Additional host names that requests may use. */
  readonly hosts: readonly string[]
  /**
   * Public URL of the service behind a tunnel or proxy. URLs in responses and mails start with it. By default, URLs of
   * files and logins use the allowed host of the request.
   */
  readonly publicUrl: string | undefined
  /** Number of trusted proxies in front of the service, which set `x-forwarded-for`. */
  readonly trustedProxies: number
  /** Sender of mails. */
  readonly mailFrom: string
  /** Timeout for an identity provider during a login, in milliseconds. */
  readonly providerTimeout: number
  /** Delay of the next API response in milliseconds, called for each response. */
  readonly latency: () => number
  /** Called for each completed request to the project's API. */
  readonly onRequest: ((request: RequestLine) => void) | undefined
  readonly log: 'silent' | 'info'
  /** Logs the last requests in memory for the control API. */
  readonly requestLog: boolean
  /** Whether the emulator keeps the process running. */
  readonly holdsProcess: boolean
  readonly now: () => Date
}

export const defaultConfig: Config = {
  port: 0,
  choosePort: undefined,
  host: undefined,
  dir: undefined,
  branch: undefined,
  privateDir: undefined,
  memory: false,
  fresh: false,
  newToken: false,
  sharedBuffersMb: undefined,
  databaseUrl: undefined,
  databaseListenUrl: undefined,
  filesUrl: undefined,
  project: 'dev',
  dialect: undefined,
  tier: undefined,
  hosts: [],
  publicUrl: undefined,
  trustedProxies: 0,
  smtpUrl: undefined,
  mailFrom: 'svc <no-reply@svc.localhost>',
  providerTimeout: 9_000,
  latency: () => 0,
  onRequest: undefined,
  log: 'silent',
  requestLog: true,
  holdsProcess: true,
  now: () => new Date(),
}
