import { dirname, resolve } from 'node:path'
import * as Flags from '@oclif/core/flags'
import type { InferredFlags } from '@oclif/core/interfaces'
import { tiers } from '../../client/protocol/model/limits.js'
import type { ProjectSettings } from '../../client/protocol/model/project.js'
import { misuse } from '../base/failure.js'
import type { FolderConfig } from '../config/folder-config.js'
import { stateFolder } from '../target/emulator-file.js'
import { readHostNames } from '../target/host-names.js'
import { mailFlags } from './mail-flags.js'

export const devFlags = {
  port: Flags.integer({
    min: 0,
    max: 65_535,
    description:
      'port to listen on; 0 picks a free one for this start only [default: the previous one; at first 4400 or the next free one]',
  }),
  host: Flags.string({ description: 'address to listen on [default: this machine only]' }),
  'allowed-host': Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    description: 'host names to accept in requests, in addition to those of this machine',
    helpValue: 'name',
  }),
  'public-url': Flags.string({
    description: 'public address, for example of a tunnel; used for file URLs, logins and links in mail',
    helpValue: 'https://…',
  }),
  data: Flags.string({ description: `state folder [default: ${stateFolder}]`, helpValue: 'folder' }),
  memory: Flags.boolean({ description: 'save nothing to disk', exclusive: ['fresh', 'database-url'] }),
  'per-branch': Flags.boolean({
    description: 'keep separate data for each git branch, with the same keys and port',
    exclusive: ['memory', 'database-url'],
  }),
  snapshot: Flags.string({ description: 'load this snapshot first; svc undo undoes it', helpValue: 'name' }),
  fresh: Flags.boolean({
    description: 'start without data; existing data is moved aside',
    exclusive: ['database-url'],
  }),
  'new-token': Flags.boolean({ description: 'create a new control token and revoke the old one' }),
  dialect: Flags.string({ description: 'dialect of the project: a, b, c, d, or "a, document=flat"' }),
  tier: Flags.option({
    options: tiers,
    description: 'plan that sets the file limits of the project; the setting rateLimit turns on rate limits',
  })(),
  project: Flags.string({ description: 'project of the key [default: dev]' }),
  'database-url': Flags.string({
    description: 'PostgreSQL server to use instead of the embedded database',
    helpValue: 'postgres://…',
  }),
  'database-listen-url': Flags.string({
    description: 'direct address of the server, if --database-url is a pooler in transaction mode',
    helpValue: 'postgres://…',
  }),
  'files-url': Flags.string({
    description: 'S3 bucket to store files in, instead of the state folder',
    helpValue: 's3://bucket/prefix',
  }),
  'ready-file': Flags.string({
    description: 'file to write address and keys to when the emulator is ready',
    helpValue: 'file',
  }),
  ...mailFlags,
  'trusted-proxies': Flags.integer({
    min: 0,
    description: 'number of proxies in front that set x-forwarded-for [default: 0]',
  }),
  'mail-from': Flags.string({ description: 'sender address of mail', helpValue: 'address' }),
  latency: Flags.string({
    description: 'delay every API response: 200ms, 100ms-2s, or a number of milliseconds',
    helpValue: 'duration',
  }),
  open: Flags.boolean({ description: 'open the dashboard in the browser' }),
  detach: Flags.boolean({ description: 'run in the background; stop it with svc stop' }),
  demo: Flags.boolean({ description: 'add demo data once: authors, posts, comments, a user and a file' }),
  seed: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: 'seed file to apply; see svc seed',
    helpValue: 'file',
  }),
  types: Flags.string({
    description: 'types file to keep up to date; see svc types generate',
    helpValue: 'file',
  }),
  watch: Flags.boolean({ description: 'apply the files of --seed again when you save them; never deletes' }),
}

type DevFlags = InferredFlags<typeof devFlags>

export interface DevOptions extends DevFlags {
  readonly 'allowed-host': string[]
  /** The state folder. */
  readonly folder: string
  readonly project: string
  readonly sharedBuffersMb: number | undefined
}

/** Chooses where the data is saved. A flag rules out settings of the project file that contradict it. */
function storageOptions(flags: DevFlags, dev: NonNullable<FolderConfig['config']['dev']>) {
  const isOnServer = flags['database-url'] !== undefined
  const memory = flags.memory || (dev.memory === true && !flags.fresh && !isOnServer)
  const perBranch = flags['per-branch'] || (dev.perBranch === true && !memory && !isOnServer)
  const databaseUrl = flags['database-url'] ?? (memory ? undefined : dev.databaseUrl)
  if (databaseUrl !== undefined) refuseOnServer({ fresh: flags.fresh, 'per-branch': perBranch })
  return { memory, 'per-branch': perBranch, 'database-url': databaseUrl }
}

/** Merges flags and project file. Flags win. */
export function devOptions(flags: DevFlags, { path, config: { dev = {} } }: FolderConfig): DevOptions {
  const place = (given: string) => resolve(path === undefined ? '.' : dirname(path), given)
  const seed = dev.seed === undefined ? [] : [dev.seed].flat()
  const data = flags.data ?? (dev.data === undefined ? undefined : place(dev.data))
  return {
    ...flags,
    ...storageOptions(flags, dev),
    folder: resolve(data ?? stateFolder),
    port: flags.port ?? dev.port,
    'allowed-host': readHostNames(flags['allowed-host']),
    project: flags.project ?? dev.project ?? 'dev',
    sharedBuffersMb: dev.sharedBuffersMb,
    'database-listen-url': flags['database-listen-url'] ?? dev.databaseListenUrl,
    'files-url': flags['files-url'] ?? dev.filesUrl,
    'mail-from': flags['mail-from'] ?? dev.mailFrom,
    'trusted-proxies': flags['trusted-proxies'] ?? dev.trustedProxies,
    types: flags.types ?? (dev.types === undefined ? undefined : place(dev.types)),
    seed: flags.seed ?? (seed.length > 0 ? seed.map(place) : undefined),
  }
}

/** Flags that only work with the embedded database, and alternatives. oclif has already refused conflicting flags. */
const onlyEmbedded = {
  fresh: 'Start without --fresh, then empty the project: svc reset',
  'per-branch': 'Use a separate database for each branch with --database-url.',
}

/** @throws {CliFailure} if the project file names a server that does not support a flag */
function refuseOnServer(asked: { readonly [Flag in keyof typeof onlyEmbedded]: boolean }): void {
  for (const flag of ['fresh', 'per-branch'] as const) {
    if (asked[flag]) throw misuse(`--${flag} needs the embedded database, but databaseUrl is set.`, onlyEmbedded[flag])
  }
}

/** Returns the project settings that flags override. */
export function settingsOfFlags({ dialect, tier }: Pick<DevFlags, 'dialect' | 'tier'>): (keyof ProjectSettings)[] {
  return [...(dialect === undefined ? [] : ['dialect' as const]), ...(tier === undefined ? [] : ['tier' as const])]
}
