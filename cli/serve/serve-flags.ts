/** Reads the settings of `svc serve` and its commands from flags, the environment and, for secrets, files. */
import { readFileSync } from 'node:fs'
import * as Flags from '@oclif/core/flags'
import type { InferredFlags } from '@oclif/core/interfaces'
import { mailVariables } from '../../client/protocol/model/mail-transports.js'
import type { ServeConfig } from '../../emulator/serving/serve.js'
import { type CliFailure, misuse, noFile } from '../base/failure.js'
import { readMailUrls, sendingFlags } from '../dev/mail-flags.js'
import { readHostNames } from '../target/host-names.js'
import { parseDuration } from '../terminal/duration.js'

/** Secrets and addresses with passwords. Each can also be read from the file named by the variable with `_FILE`. */
const secretVariables = [
  'SVC_SECRET',
  'SVC_ADMIN_TOKEN',
  'SVC_DATABASE_URL',
  'SVC_DATABASE_LISTEN_URL',
  ...mailVariables,
] as const

type SecretVariable = (typeof secretVariables)[number]

/** For commands that only need the database. */
export const databaseFlags = {
  'database-url': Flags.string({
    description: 'PostgreSQL server, 17 or later; keep passwords in SVC_DATABASE_URL or SVC_DATABASE_URL_FILE',
    helpValue: 'postgres://…',
  }),
  'database-listen-url': Flags.string({
    description:
      'direct address of the server for notifications and maintenance, if --database-url is a pooler in transaction mode',
    helpValue: 'postgres://…',
  }),
}

export const serveFlags = {
  ...databaseFlags,
  'files-url': Flags.string({
    description: 'S3 bucket for files, or file:///folder with a single process',
    helpValue: 's3://bucket/prefix',
    env: 'SVC_FILES_URL',
  }),
  'public-url': Flags.string({
    description: 'public address of the service, used for links in mail [default: the listening address]',
    helpValue: 'https://…',
    env: 'SVC_PUBLIC_URL',
  }),
  port: Flags.integer({
    min: 0,
    max: 65_535,
    default: 4400,
    description: 'port to listen on; 0 picks a free one',
    env: 'SVC_PORT',
  }),
  host: Flags.string({
    description: 'address to listen on, for example 0.0.0.0 [default: this machine only]',
    helpValue: 'address',
    env: 'SVC_HOST',
  }),
  'admin-port': Flags.integer({
    min: 0,
    max: 65_535,
    description: 'port for probes, metrics and, with SVC_ADMIN_TOKEN, the control API [default: none]',
    env: 'SVC_ADMIN_PORT',
  }),
  'allowed-host': Flags.string({
    multiple: true,
    delimiter: ',',
    description: 'host names to accept in requests, in addition to that of --public-url',
    helpValue: 'name',
    env: 'SVC_ALLOWED_HOST',
  }),
  'trusted-proxies': Flags.integer({
    min: 0,
    default: 0,
    aliases: ['trust-proxy'],
    description: 'number of proxies in front that set x-forwarded-for',
    env: 'SVC_TRUSTED_PROXIES',
  }),
  'hang-timeout': Flags.string({
    default: '30s',
    description: 'how long the event loop may hang before the process exits, 1s to 1h; 0s for no limit',
    helpValue: '30s',
    env: 'SVC_HANG_TIMEOUT',
  }),
  ...sendingFlags,
  'mail-from': Flags.string({ description: 'sender address of mail', helpValue: 'address', env: 'SVC_MAIL_FROM' }),
  'shutdown-delay': Flags.string({
    default: '0s',
    description: 'how long to accept requests after reporting not ready, so that load balancers notice',
    helpValue: '5s',
    env: 'SVC_SHUTDOWN_DELAY',
  }),
  'shutdown-timeout': Flags.string({
    default: '20s',
    description: 'how long running requests may take after that',
    helpValue: '20s',
    env: 'SVC_SHUTDOWN_TIMEOUT',
  }),
  'request-log': Flags.boolean({
    default: true,
    allowNo: true,
    description: 'write a line of JSON to stderr for each request',
    env: 'SVC_REQUEST_LOG',
  }),
}

type DatabaseFlags = { readonly [Flag in keyof typeof databaseFlags]?: string | undefined }
export type ServeFlags = InferredFlags<typeof serveFlags>

type DatabasePlace = Pick<ServeConfig, 'databaseUrl' | 'databaseListenUrl'>

/**
 * @param others further required settings, so that one failure names all that are missing
 * @throws {CliFailure} for settings that are missing or cannot be read
 */
export function readDatabasePlace(
  flags: DatabaseFlags,
  env: NodeJS.ProcessEnv = process.env,
  others: Found = {},
): DatabasePlace {
  const databaseUrl = flags['database-url'] ?? readSecret('SVC_DATABASE_URL', env)
  if (databaseUrl === undefined) throw missing({ SVC_DATABASE_URL: databaseUrl, ...others })
  return {
    databaseUrl,
    databaseListenUrl: flags['database-listen-url'] ?? readSecret('SVC_DATABASE_LISTEN_URL', env),
  }
}

/** Reads the secret too. @throws {CliFailure} for settings that are missing or cannot be read */
export function readSecretPlace(
  flags: DatabaseFlags,
  env: NodeJS.ProcessEnv = process.env,
): DatabasePlace & Pick<ServeConfig, 'secret'> {
  const secret = readSecret('SVC_SECRET', env)
  return { ...readDatabasePlace(flags, env, { SVC_SECRET: secret }), secret: secret ?? '' }
}

/** @throws {CliFailure} for settings that are missing or cannot be read */
export function readServeConfig(flags: ServeFlags, env: NodeJS.ProcessEnv = process.env): ServeConfig {
  const filesUrl = flags['files-url']
  const secret = readSecret('SVC_SECRET', env)
  const others = { SVC_FILES_URL: filesUrl, SVC_SECRET: secret }
  const place = readDatabasePlace(flags, env, others)
  if (filesUrl === undefined) throw missing(others)
  return {
    ...{ ...place, filesUrl, secret: secret ?? '' },
    adminToken: readSecret('SVC_ADMIN_TOKEN', env),
    publicUrl: flags['public-url'],
    host: flags.host,
    port: flags.port,
    adminPort: flags['admin-port'],
    allowedHosts: readHostNames(flags['allowed-host']),
    trustedProxies: flags['trusted-proxies'],
    hangTimeout: readTime('hang-timeout', flags['hang-timeout'], { min: 1_000 }),
    ...readMailUrls(flags, (variable) => readSecret(variable, env)),
    mailFrom: flags['mail-from'] ?? defaultMailFrom(flags['public-url']),
    shutdownDelay: readTime('shutdown-delay', flags['shutdown-delay']),
    shutdownTimeout: readTime('shutdown-timeout', flags['shutdown-timeout']),
    log: flags['request-log'] ? 'info' : 'warn',
  }
}

/** Describes valid values. */
const wanted = {
  SVC_DATABASE_URL: 'postgres://user:password@host:5432/database',
  SVC_FILES_URL: 's3://bucket/prefix',
  SVC_SECRET: 'the value from `svc serve keys`, the same for every replica',
}

type Found = { readonly [Name in keyof typeof wanted]?: string | undefined }

/** Names all missing settings in one failure. */
function missing(found: Found): CliFailure {
  const names = (Object.keys(found) as (keyof typeof wanted)[]).filter((name) => found[name] === undefined)
  const message = `${names.join(', ').replace(/, (?=\w+$)/, ' and ')} ${names.length === 1 ? 'is' : 'are'} not set.`
  return misuse(message, names.map((name) => `${name}: ${wanted[name]}`).join('; '))
}

/** @param min smallest duration besides 0 */
function readTime(name: string, text: string, { min = 0 } = {}): number {
  const milliseconds = parseDuration(text)
  if (milliseconds !== undefined && (milliseconds === 0 || (milliseconds >= min && milliseconds <= 3_600_000)))
    return milliseconds
  const times = min === 0 ? '0s to 1h' : `0s, or ${min / 1_000}s to 1h`
  throw misuse(`Invalid --${name} "${text}".`, `Use ${times}, for example --${name} 20s.`)
}

/** Reads a variable, or the file named by its `_FILE`, because Docker and Kubernetes mount secrets as files. */
function readSecret(name: SecretVariable, env: NodeJS.ProcessEnv): string | undefined {
  const [value, file] = [env[name], env[`${name}_FILE`]]
  if (value && file) throw misuse(`Both ${name} and ${name}_FILE are set.`, 'Unset one of them.')
  if (!file) return value || undefined
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw noFile(file, error)
    const reason = unreadable[code ?? ''] ?? String(code)
    throw misuse(
      `${name}_FILE names "${file}", which cannot be read: ${reason}.`,
      'Use a file that this process can read.',
    )
  }
}

const unreadable: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
}

function defaultMailFrom(publicUrl: string | undefined): string {
  const host = publicUrl !== undefined && URL.canParse(publicUrl) ? new URL(publicUrl).hostname : 'svc.localhost'
  return `no-reply@${host}`
}
