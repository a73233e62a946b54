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
      'port to listen on; 0 takes a free one, for this start alone [default: the one before; at first 4400, or the next free one]',
  }),
  host: Flags.string({ description: 'address to listen on [default: this machine only]' }),
  'allowed-host': Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    description: "further names that requests may give as their host, beside this machine's own",
    helpValue: 'name',
  }),
  'public-url': Flags.string({
    description:
      'where others reach it through a tunnel; addresses of files and logins and links in mails begin with it',
    helpValue: 'https://…',
  }),
  data: Flags.string({ description: `state folder [default: ${stateFolder}]`, helpValue: 'folder' }),
  memory: Flags.boolean({ description: 'keep no data on disk', exclusive: ['fresh', 'database-url'] }),
  'per-branch': Flags.boolean({
    description: 'keep the data of each git branch apart; keys and port are the same',
    exclusive: ['memory', 'database-url'],
  }),
  snapshot: Flags.string({ description: 'load this snapshot first; svc undo takes it back', helpValue: 'name' }),
  fresh: Flags.boolean({
    description: 'start with no data; what there was is set aside',
    exclusive: ['database-url'],
  }),
  'new-token': Flags.boolean({ description: 'draw another control token; the old one is refused from then on' }),
  dialect: Flags.string({ description: 'forms the project speaks: a, b, c, or "a, document=flat"' }),
  tier: Flags.option({
    options: tiers,
    description:
      'plan whose limits for files the project has; rate limits are off unless the setting rateLimit turns them on',
  })(),
  project: Flags.string({ description: 'project that the key belongs to [default: dev]' }),
  'database-url': Flags.string({
    description: 'a PostgreSQL server instead of the embedded one',
    helpValue: 'postgres://…',
  }),
  'database-listen-url': Flags.string({
    description: 'the same server past a pooler in transaction mode [default: --database-url]',
    helpValue: 'postgres://…',
  }),
  'files-url': Flags.string({
    description: 'an S3 bucket for files instead of the state folder',
    helpValue: 's3://bucket/prefix',
  }),
  'ready-file': Flags.string({
    description: 'file to write address and keys to, once it answers',
    helpValue: 'file',
  }),
  ...mailFlags,
  'trusted-proxies': Flags.integer({
    min: 0,
    description: 'proxies in front that report where clients are, in x-forwarded-for [default: none]',
  }),
  'mail-from': Flags.string({ description: 'sender address of mail', helpValue: 'address' }),
  latency: Flags.string({
    description: "let every answer of the project's API come later: as 200ms, 100ms-2s, or a number of milliseconds",
    helpValue: 'duration',
  }),
  open: Flags.boolean({ description: 'open the dashboard in the browser' }),
  detach: Flags.boolean({ description: 'run in the background; svc stop ends it' }),
  demo: Flags.boolean({ description: 'add authors, posts, comments, a user and a file to look at, once' }),
  seed: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    description: 'file to fill collections from, as svc seed does',
    helpValue: 'file',
  }),
  types: Flags.string({
    description: 'file of types to keep up to date, as svc types generate writes it',
    helpValue: 'file',
  }),
  watch: Flags.boolean({ description: 'apply what is saved in the files of --seed; what they say no more stays' }),
}

type Given = InferredFlags<typeof devFlags>

export interface DevOptions extends Given {
  readonly 'allowed-host': string[]
  /** The state folder. */
  readonly folder: string
  readonly project: string
  readonly sharedBuffersMb: number | undefined
}

/** What the flags say, and where they say nothing, the project file. */
export function devOptions(flags: Given, { path, config: { dev = {} } }: FolderConfig): DevOptions {
  const place = (given: string) => resolve(path === undefined ? '.' : dirname(path), given)
  const seed = dev.seed === undefined ? [] : [dev.seed].flat()
  const data = flags.data ?? (dev.data === undefined ? undefined : place(dev.data))
  const isKept = flags.fresh || flags['database-url'] !== undefined
  const memory = flags.memory || (dev.memory === true && !isKept)
  const databaseUrl = flags['database-url'] ?? (memory ? undefined : dev.databaseUrl)
  const perBranch = flags['per-branch'] || (dev.perBranch === true && !memory && flags['database-url'] === undefined)
  if (databaseUrl !== undefined) refuseOnServer({ fresh: flags.fresh, 'per-branch': perBranch })
  return {
    ...flags,
    memory,
    'per-branch': perBranch,
    folder: resolve(data ?? stateFolder),
    port: flags.port ?? dev.port,
    'allowed-host': readHostNames(flags['allowed-host']),
    project: flags.project ?? dev.project ?? 'dev',
    sharedBuffersMb: dev.sharedBuffersMb,
    'database-url': databaseUrl,
    'database-listen-url': flags['database-listen-url'] ?? dev.databaseListenUrl,
    'files-url': flags['files-url'] ?? dev.filesUrl,
    'mail-from': flags['mail-from'] ?? dev.mailFrom,
    'trusted-proxies': flags['trusted-proxies'] ?? dev.trustedProxies,
    types: flags.types ?? (dev.types === undefined ? undefined : place(dev.types)),
    seed: flags.seed ?? (seed.length > 0 ? seed.map(place) : undefined),
  }
}

/** What is done with folders of the embedded database, and what there is instead. A flag beside a flag is refused before. */
const onlyEmbedded = {
  fresh: 'Empty the project once it runs: svc reset.',
  'per-branch': 'Give each branch a database of its own with --database-url.',
}

/** @throws {CliFailure} where the project file names a server that cannot do what was asked for */
function refuseOnServer(asked: { readonly [Flag in keyof typeof onlyEmbedded]: boolean }): void {
  for (const flag of ['fresh', 'per-branch'] as const) {
    if (asked[flag]) throw misuse(`--${flag} is for the embedded database, and databaseUrl is set.`, onlyEmbedded[flag])
  }
}

/** The settings of the project that a flag decides, whatever a file says. */
export function settingsOfFlags({ dialect, tier }: Pick<Given, 'dialect' | 'tier'>): (keyof ProjectSettings)[] {
  return [...(dialect === undefined ? [] : ['dialect' as const]), ...(tier === undefined ? [] : ['tier' as const])]
}
