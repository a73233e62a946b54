/** How `svc serve` is configured, and what of it cannot be. */
import { fileURLToPath } from 'node:url'
import type { MailUrls } from '../../client/protocol/model/mail-transports.js'
import { publicOrigin, publicUrlHint } from '../addresses.js'
import { StartError } from '../database/start-error.js'

export interface ServeConfig extends MailUrls {
  /** `postgres://…`: the state that all processes share. */
  readonly databaseUrl: string
  /** The same server past a pooler in transaction mode, which passes no notifications on; left out, `databaseUrl`. */
  readonly databaseListenUrl: string | undefined
  /** Standbys, for reads that need not be newest. */
  readonly databaseReadUrl: string | undefined
  /** The files that these were read from: read again for each connection, so that user and password may change. */
  readonly databaseUrlFiles?: Partial<Record<'databaseUrl' | 'databaseListenUrl' | 'databaseReadUrl', string>>
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
  readonly workers: number
  /** How long a worker may be silent before it is ended and replaced; 0 waits for ever. */
  readonly workerTimeout: number
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

function requireFilesPlace({ filesUrl, workers }: ServeConfig): void {
  const { protocol } = URL.canParse(filesUrl) ? new URL(filesUrl) : { protocol: '' }
  if (protocol === 's3:') return
  if (protocol !== 'file:') {
    const hint = 'Use s3://bucket/prefix, or file:///var/lib/svc for a single process.'
    throw new StartError('FILES_UNREACHABLE', 'Not a valid address of a file storage: --files-url.', hint)
  }
  if (workers === 1) return
  const hint = 'Name a bucket, as in --files-url s3://bucket/prefix, or run one process with --workers 1.'
  const reason =
    'its disk promises neither that others see a file once it is written, nor that only one of them sweeps it'
  throw new StartError('FOLDER_SHARED', `A folder is not shared by ${workers} processes: ${reason}.`, hint)
}

/** The folder of files, where it is not a bucket. */
export function filesFolder({ filesUrl }: Pick<ServeConfig, 'filesUrl'>): string | undefined {
  return filesUrl.startsWith('file:') ? fileURLToPath(filesUrl) : undefined
}

function requirePublicUrl({ publicUrl, host }: ServeConfig): void {
  if (publicUrl !== undefined) return void publicOrigin(publicUrl)
  if (host === undefined || /^(127\.|::1$|localhost$)/.test(host)) return
  throw new StartError('PUBLIC_URL_MISSING', 'Links in mails need an address that others can open.', publicUrlHint)
}
