/** What `svc serve` and its commands take: flags, variables of the environment and, for secrets, files. */
import { readFileSync } from 'node:fs'
import * as Flags from '@oclif/core/flags'
import type { InferredFlags } from '@oclif/core/interfaces'
import type { ServeConfig } from '../../emulator/serve.js'
import { type CliFailure, misuse, noFile } from '../base/failure.js'
import { readMailUrls, sendingFlags } from '../dev/mail-flags.js'
import { readHostNames } from '../target/host-names.js'
import { parseDuration } from '../terminal/duration.js'

/** What is a secret or has a password in it: also from the file that the same name with `_FILE` names. */
const secretVariables = [
  'SVC_SECRET',
  'SVC_ADMIN_TOKEN',
  'SVC_DATABASE_URL',
  'SVC_DATABASE_LISTEN_URL',
  'SVC_SMTP_URL',
] as const

type SecretVariable = (typeof secretVariables)[number]

/** The database that all replicas share, for commands that need no more. */
export const databaseFlags = {
  'database-url': Flags.string({
    description: 'PostgreSQL server, 17 or later; with a password rather in SVC_DATABASE_URL or SVC_DATABASE_URL_FILE',
    helpValue: 'postgres://…',
  }),
  'database-listen-url': Flags.string({
    description:
      'the same server past a pooler in transaction mode, for notifications and maintenance [default: --database-url]',
    helpValue: 'postgres://…',
  }),
}

export const serveFlags = {
  ...databaseFlags,
  'files-url': Flags.string({
    description: 'S3 bucket for files; file:///folder for a single process',
    helpValue: 's3://bucket/prefix',
    env: 'SVC_FILES_URL',
  }),
  'public-url': Flags.string({
    description: 'where apps reach the service, which links in mails begin with [default: where it listens]',
    helpValue: 'https://…',
    env: 'SVC_PUBLIC_URL',
  }),
  port: Flags.integer({
    min: 0,
    max: 65_535,
    default: 4400,
    description: 'port to listen on; 0 takes a free one',
    env: 'SVC_PORT',
  }),
  host: Flags.string({
    description: 'address to listen on, as 0.0.0.0 [default: this machine only]',
    helpValue: 'address',
    env: 'SVC_HOST',
  }),
  'admin-port': Flags.integer({
    min: 0,
    max: 65_535,
    description: 'port for probes and metrics and, with SVC_ADMIN_TOKEN, the control API [default: none]',
    env: 'SVC_ADMIN_PORT',
  }),
  'allowed-host': Flags.string({
    multiple: true,
    delimiter: ',',
    description: 'further names that requests may give as their host, beside that of --public-url',
    helpValue: 'name',
    env: 'SVC_ALLOWED_HOST',
  }),
  'trusted-proxies': Flags.integer({
    min: 0,
    default: 0,
    aliases: ['trust-proxy'],
    description: 'proxies in front that report where clients are, in x-forwarded-for',
    env: 'SVC_TRUSTED_PROXIES',
  }),
  'hang-timeout': Flags.string({
    default: '30s',
    description: 'how long the event loop may hang before the process kills itself, 1s to 1h; 0s for never',
    helpValue: '30s',
    env: 'SVC_HANG_TIMEOUT',
  }),
  ...sendingFlags,
  'mail-from': Flags.string({ description: 'sender address of mail', helpValue: 'address', env: 'SVC_MAIL_FROM' }),
  'shutdown-delay': Flags.string({
    default: '0s',
    description: 'how long requests are still taken once it has said that it is not ready, so that balancers notice',
    helpValue: '5s',
    env: 'SVC_SHUTDOWN_DELAY',
  }),
  'shutdown-timeout': Flags.string({
    default: '20s',
    description: 'how long requests that are at work may take after that',
    helpValue: '20s',
    env: 'SVC_SHUTDOWN_TIMEOUT',
  }),
  'request-log': Flags.boolean({
    default: true,
    allowNo: true,
    description: 'write a line of JSON to standard error for each request',
    env: 'SVC_REQUEST_LOG',
  }),
}

type DatabaseFlags = { readonly [Flag in keyof typeof databaseFlags]?: string | undefined }
export type ServeFlags = InferredFlags<typeof serveFlags>

type DatabasePlace = Pick<ServeConfig, 'databaseUrl' | 'databaseListenUrl'>

/**
 * @param others what the command needs besides, so that one failure names all that is missing
 * @throws {CliFailure} for what is missing or cannot be read
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

/** The same with the secret. @throws {CliFailure} for what is missing or cannot be read */
export function readSecretPlace(
  flags: DatabaseFlags,
  env: NodeJS.ProcessEnv = process.env,
): DatabasePlace & Pick<ServeConfig, 'secret'> {
  const secret = readSecret('SVC_SECRET', env)
  return { ...readDatabasePlace(flags, env, { SVC_SECRET: secret }), secret: secret ?? '' }
}

/** @throws {CliFailure} for what is missing or cannot be read */
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
    hangTimeout: readTime('hang-timeout', flags['hang-timeout'], { fewest: 1_000 }),
    ...readMailUrls({ smtp: flags.smtp ?? readSecret('SVC_SMTP_URL', env) }),
    mailFrom: flags['mail-from'] ?? defaultMailFrom(flags['public-url']),
    shutdownDelay: readTime('shutdown-delay', flags['shutdown-delay']),
    shutdownTimeout: readTime('shutdown-timeout', flags['shutdown-timeout']),
    log: flags['request-log'] ? 'info' : 'warn',
  }
}

/** What each of them is to be. */
const wanted = {
  SVC_DATABASE_URL: 'postgres://user:password@host:5432/database',
  SVC_FILES_URL: 's3://bucket/prefix',
  SVC_SECRET: 'what `svc serve keys` prints, the same for every replica',
}

type Found = { readonly [Name in keyof typeof wanted]?: string | undefined }

/** One failure that names all of them. */
function missing(found: Found): CliFailure {
  const names = (Object.keys(found) as (keyof typeof wanted)[]).filter((name) => found[name] === undefined)
  const message = `${names.join(', ').replace(/, (?=\w+$)/, ' and ')} ${names.length === 1 ? 'is' : 'are'} not set.`
  return misuse(message, names.map((name) => `${name}: ${wanted[name]}`).join('; '))
}

/** @param fewest of what is not 0 */
function readTime(name: string, text: string, { fewest = 0 } = {}): number {
  const milliseconds = parseDuration(text)
  if (milliseconds !== undefined && (milliseconds === 0 || (milliseconds >= fewest && milliseconds <= 3_600_000)))
    return milliseconds
  const times = fewest === 0 ? '0s to 1h' : `0s, or ${fewest / 1_000}s to 1h`
  throw misuse(`--${name} takes ${times}, not "${text}".`, `As in --${name} 20s.`)
}

/** What a variable says, or the file that its `_FILE` names, as Docker and Kubernetes mount secrets. */
function readSecret(name: SecretVariable, env: NodeJS.ProcessEnv): string | undefined {
  const [value, file] = [env[name], env[`${name}_FILE`]]
  if (value && file) throw misuse(`Both ${name} and ${name}_FILE are set.`, 'Leave one of them out.')
  if (!file) return value || undefined
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw noFile(file, error)
    const reason = unreadable[code ?? ''] ?? String(code)
    throw misuse(
      `${name}_FILE names "${file}", which cannot be read: ${reason}.`,
      'Name a file that this process may read.',
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
