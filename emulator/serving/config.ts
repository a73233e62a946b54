/** Defines and validates the configuration of `svc serve`. */
import { fileURLToPath } from 'node:url'
import type { MailUrls } from '../../client/protocol/model/mail-transports.js'
import { StartError } from '../database/start-error.js'
import { publicOrigin, publicUrlHint } from '../facts/addresses.js'

export interface ServeConfig extends MailUrls {
  /** `postgres://…`, shared by all replicas. */
  readonly databaseUrl: string
  /**
   * Direct URL of the same server, if `databaseUrl` points to a pooler in transaction mode, which does not forward
   * notifications. Defaults to `databaseUrl`.
   */
  readonly databaseListenUrl: string | undefined
  /** `s3://bucket/prefix`, or `file:///folder` for a single process. */
  readonly filesUrl: string
  /** Part of the signing keys for user tokens and logins. The same in all processes. */
  readonly secret: string
  /** URL at which apps and browsers reach the service, used in mail links. Defaults to the address it listens on. */
  readonly publicUrl: string | undefined
  /** Address to listen on. Defaults to this machine only. */
  readonly host: string | undefined
  /** 0 picks a free port. */
  readonly port: number
  /** Port for probes, metrics and the control API; undefined for none. */
  readonly adminPort: number | undefined
  /** Token for the control API on that port; undefined turns it off. */
  readonly adminToken: string | undefined
  /** Host names that requests may use, in addition to those of `publicUrl` and this machine. */
  readonly allowedHosts: readonly string[]
  readonly trustedProxies: number
  readonly mailFrom: string
  /** Milliseconds that the event loop may hang before the process kills itself; 0 disables that. */
  readonly hangTimeout: number
  /** Time to keep accepting requests after reporting not ready, so that load balancers notice. */
  readonly shutdownDelay: number
  /** Time for requests in progress to finish after that. */
  readonly shutdownTimeout: number
  /** Whether to log every request, or only failures and warnings. */
  readonly log: 'info' | 'warn'
}

/** Length of a secret printed by `svc serve keys`, which cannot be guessed. */
const minSecretCharacters = 32

const secretHint = 'Create secrets once with `svc serve keys`, and use the same for every process.'

/** @throws {StartError} for settings that would only fail later */
export function requireServable(config: ServeConfig): void {
  requireSecret('SVC_SECRET', config.secret)
  if (config.adminToken !== undefined) requireSecret('SVC_ADMIN_TOKEN', config.adminToken)
  if (config.adminToken !== undefined && config.adminPort === undefined) {
    const hint = 'Add --admin-port, or remove SVC_ADMIN_TOKEN.'
    throw new StartError('ADMIN_PORT_MISSING', 'SVC_ADMIN_TOKEN has no effect without --admin-port.', hint)
  }
  if (config.adminPort !== undefined && config.adminPort !== 0 && config.adminPort === config.port) {
    const hint = 'Use a different port for --admin-port, one that is not reachable from outside.'
    throw new StartError('PORT_IN_USE', `Port ${config.port} is used twice.`, hint)
  }
  requireFilesUrl(config)
  requirePublicUrl(config)
}

/** Checks the length of a secret. */
export function isSecret(value: string): boolean {
  return value.length >= minSecretCharacters
}

/** @throws {StartError} for a missing or short secret */
export function requireSecret(name: string, value: string): void {
  if (isSecret(value)) return
  const message = value === '' ? `${name} is not set.` : `${name} is too short (min ${minSecretCharacters} characters).`
  throw new StartError('SECRET_MISSING', message, secretHint)
}

function requireFilesUrl({ filesUrl }: ServeConfig): void {
  const { protocol, host } = URL.canParse(filesUrl) ? new URL(filesUrl) : { protocol: '', host: '' }
  // A file URL with a host would be on another machine.
  if (protocol === 's3:' || (protocol === 'file:' && host === '')) return
  const hint = 'Use s3://bucket/prefix, or file:///var/lib/svc for a single process.'
  throw new StartError('FILES_UNREACHABLE', 'Invalid file storage URL in --files-url.', hint)
}

/** Returns the folder of files, or undefined for a bucket. */
export function filesFolder({ filesUrl }: Pick<ServeConfig, 'filesUrl'>): string | undefined {
  return filesUrl.startsWith('file:') ? fileURLToPath(filesUrl) : undefined
}

/** Lists the addresses to listen on. */
export function listAddresses({ host, port, adminPort }: ServeConfig) {
  return {
    main: { host, port },
    admin: adminPort === undefined ? undefined : { host, port: adminPort, portFlag: '--admin-port' },
  }
}

/** Replaces hints that name flags of `svc dev`. */
const folderHints = new Map<StartError['code'], string>([
  [
    'ALREADY_RUNNING',
    'Stop the other process, or share files in a bucket, for example --files-url s3://bucket/prefix.',
  ],
  [
    'FOLDER_NOT_WRITABLE',
    'Use a writable folder on a local disk, or a bucket, for example --files-url s3://bucket/prefix.',
  ],
])

export function withServeHint(error: unknown): unknown {
  const hint = error instanceof StartError ? folderHints.get(error.code) : undefined
  return hint !== undefined && error instanceof StartError
    ? new StartError(error.code, error.message, hint, error.cause)
    : error
}

function requirePublicUrl({ publicUrl, host }: ServeConfig): void {
  if (publicUrl !== undefined) return void publicOrigin(publicUrl)
  if (host === undefined || /^(127\.|::1$|localhost$)/.test(host)) return
  throw new StartError('PUBLIC_URL_MISSING', 'Links in mails need a public URL.', publicUrlHint)
}
