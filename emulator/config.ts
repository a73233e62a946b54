import type { Tier } from '../client/protocol/model/limits.js'
import type { MailUrls } from '../client/protocol/model/mail-transports.js'
import type { RequestLine } from './http/logging/log.js'

/** How an emulator is started; every part has a default. */
export interface Config extends MailUrls {
  /** 0 takes a free one. */
  readonly port: number
  /** Chooses the port instead, knowing the one that the folder's emulator listened at before. */
  readonly choosePort: ((kept: number | undefined) => Promise<number>) | undefined
  /** An address to listen on; left out, this machine only: 127.0.0.1 and ::1. */
  readonly host: string | undefined
  /** The folder for data, addresses and keys. Left out, nothing is kept. */
  readonly dir: string | undefined
  /** Data of this branch only: each has a folder of its own in `dir`. Keys and port are those of `dir`. */
  readonly branch: string | undefined
  /** A folder of the user's own, for keys where the disk of `dir` keeps no file modes. Left out, they are drawn anew there. */
  readonly privateDir: string | undefined
  /** Keeps no data, although there is a folder: its keys are used, and another emulator may run there. */
  readonly memory: boolean
  /** Sets the data there are aside and starts with none. */
  readonly fresh: boolean
  /** Draws another control token for the folder. */
  readonly newToken: boolean
  /** PostgreSQL's `shared_buffers` in the embedded database. */
  readonly sharedBuffersMb: number | undefined
  /** `postgres://…` instead of the embedded database. */
  readonly databaseUrl: string | undefined
  /** The server behind a pooler at `databaseUrl`, for the connection that listens and for maintenance. */
  readonly databaseListenUrl: string | undefined
  /** `s3://bucket/prefix`: files are kept there instead of in the folder. */
  readonly filesUrl: string | undefined
  /** The id of the project that the keys belong to; made on first use. */
  readonly project: string
  /** What the project speaks, as in the `svc-dialect` header. Left out, what it spoke before. */
  readonly dialect: string | undefined
  /** The plan whose limits the project has. Left out, what it had before. */
  readonly tier: Tier | undefined
  /** Names, beside this machine's own, that a request may give as its host. */
  readonly hosts: readonly string[]
  /**
   * Where others reach the service, through a tunnel or a proxy. Addresses in answers and mails begin with it. Left out, addresses
   * of files and logins follow the allowed host that a request names.
   */
  readonly publicUrl: string | undefined
  /** Proxies in front of the service, which say in `x-forwarded-for` where clients are. */
  readonly trustedProxies: number
  /** Who mails are from. */
  readonly mailFrom: string
  /** How long an identity provider may take for one login, in milliseconds. */
  readonly providerTimeout: number
  /** Milliseconds that the next answer of the project's API comes later, asked anew for each. */
  readonly latency: () => number
  /** Receives each request of the project's API once it was answered. */
  readonly onRequest: ((request: RequestLine) => void) | undefined
  readonly log: 'silent' | 'info'
  /** Keeps the last requests in memory, where the control API shows them. */
  readonly requestLog: boolean
  /** Whether the process goes on for as long as this runs. If not, it ends once it has nothing else to do. */
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
