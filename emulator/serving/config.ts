/** How `svc serve` is configured, and what of it cannot be. */
import { fileURLToPath } from 'node:url'
import type { MailUrls } from '../../client/protocol/model/mail-transports.js'
import { publicOrigin, publicUrlHint } from '../addresses.js'
import { StartError } from '../database/start-error.js'

export interface ServeConfig extends MailUrls {
  /** `postgres://…`: the state that all replicas share. */
  readonly databaseUrl: string
  /** The same server past a pooler in transaction mode, which passes no notifications on; left out, `databaseUrl`. */
  readonly databaseListenUrl: string | undefined
  /** `s3://bucket/prefix`, or `file:///folder` for a single process. */
  readonly filesUrl: string
  /** Goes into what user tokens and logins are signed with; the same in all processes. */
  readonly secret: string
  /** Where apps and browsers reach the service; links in mails begin with it. Left out, it is where it listens. */
  readonly publicUrl: string | undefined
  /** An address to listen on; left out, this machine only. */
  readonly host: string | undefined
  /** 0 takes a free one. */
  readonly port: number
  /** The port of probes, metrics and the control API; left out, there is none. */
  readonly adminPort: number | undefined
  /** Opens the control API on that port; left out, there is none. */
  readonly adminToken: string | undefined
  /** Names, beside those of `publicUrl` and of this machine, that a request may give as its host. */
  readonly allowedHosts: readonly string[]
  readonly trustedProxies: number
  readonly mailFrom: string
  /** Milliseconds that the event loop may hang before the process kills itself; 0 turns that off. */
  readonly hangTimeout: number
  /** How long requests are still taken after it has said that it is not ready any more, so that balancers notice. */
  readonly shutdownDelay: number
  /** How long requests that are at work may take then. */
  readonly shutdownTimeout: number
  /** Whether each request is a line, or failures and warnings only. */
  readonly log: 'info' | 'warn'
}

/** As long as what `svc serve keys` prints is, and longer than anything that is guessed. */
const fewestSecretCharacters = 32

const makeThem = 'Make them once with `svc serve keys`, and give the same to every process.'

/** @throws {StartError} for what would start and then be wrong */
export function requireServable(config: ServeConfig): void {
  requireSecret('SVC_SECRET', config.secret)
  if (config.adminToken !== undefined) requireSecret('SVC_ADMIN_TOKEN', config.adminToken)
  if (config.adminToken !== undefined && config.adminPort === undefined) {
    const hint = 'Add --admin-port, or leave SVC_ADMIN_TOKEN out.'
    throw new StartError('ADMIN_PORT_MISSING', 'SVC_ADMIN_TOKEN opens nothing without a port of its own.', hint)
  }
  if (config.adminPort !== undefined && config.adminPort !== 0 && config.adminPort === config.port) {
    const hint = 'Take another one for --admin-port, which is not reached from outside.'
    throw new StartError('PORT_IN_USE', `Port ${config.port} is named twice.`, hint)
  }
  requireFilesPlace(config)
  requirePublicUrl(config)
}

/** Whether it is long enough to be one. */
export function isSecret(value: string): boolean {
  return value.length >= fewestSecretCharacters
}

/** @throws {StartError} for one that is missing or too short */
export function requireSecret(name: string, value: string): void {
  if (isSecret(value)) return
  const message =
    value === '' ? `${name} is not set.` : `${name} is too short: at least ${fewestSecretCharacters} characters.`
  throw new StartError('SECRET_MISSING', message, makeThem)
}

function requireFilesPlace({ filesUrl }: ServeConfig): void {
  const { protocol, host } = URL.canParse(filesUrl) ? new URL(filesUrl) : { protocol: '', host: '' }
  // A folder is on this machine.
  if (protocol === 's3:' || (protocol === 'file:' && host === '')) return
  const hint = 'Use s3://bucket/prefix, or file:///var/lib/svc for a single process.'
  throw new StartError('FILES_UNREACHABLE', 'Not a valid address of a file storage: --files-url.', hint)
}

/** The folder of files, where it is not a bucket. */
export function filesFolder({ filesUrl }: Pick<ServeConfig, 'filesUrl'>): string | undefined {
  return filesUrl.startsWith('file:') ? fileURLToPath(filesUrl) : undefined
}

/** Where it listens. */
export function placesOf({ host, port, adminPort }: ServeConfig) {
  return {
    main: { host, port },
    admin: adminPort === undefined ? undefined : { host, port: adminPort, portFlag: '--admin-port' },
  }
}

/** What is done about the folder of the files where there are no flags of `svc dev`. */
const folderHints = new Map<StartError['code'], string>([
  ['ALREADY_RUNNING', 'Stop that one. Processes share files in a bucket alone, as in --files-url s3://bucket/prefix.'],
  ['FOLDER_NOT_WRITABLE', 'Name a writable folder on a local disk, or a bucket, as in --files-url s3://bucket/prefix.'],
])

export function hintedForServe(error: unknown): unknown {
  const hint = error instanceof StartError ? folderHints.get(error.code) : undefined
  return hint !== undefined && error instanceof StartError
    ? new StartError(error.code, error.message, hint, error.cause)
    : error
}

function requirePublicUrl({ publicUrl, host }: ServeConfig): void {
  if (publicUrl !== undefined) return void publicOrigin(publicUrl)
  if (host === undefined || /^(127\.|::1$|localhost$)/.test(host)) return
  throw new StartError('PUBLIC_URL_MISSING', 'Links in mails need an address that others can open.', publicUrlHint)
}
