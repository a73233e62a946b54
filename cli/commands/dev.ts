import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as Flags from '@oclif/core/flags'
import { createClient } from '../../client/index.js'
import { tiers } from '../../client/protocol/model/limits.js'
import type { Emulator } from '../../emulator/dev.js'
import { findSeeds } from '../../seeds/seed.js'
import { misuse } from '../base/failure.js'
import { SvcCommand } from '../base/svc-command.js'
import { requireCommand } from '../dev/app-command.js'
import { box, dataWords, isOpenToOthers, nearby } from '../dev/box.js'
import { loadDemo } from '../dev/demo.js'
import { firstAnswers } from '../dev/first-answer.js'
import { mailFlags, readMailUrls } from '../dev/mail-flags.js'
import { publishEmulatorInfo } from '../dev/publish.js'
import { untilStopped } from '../dev/until-stopped.js'
import { splitAtDashes } from '../dev/words-after-dashes.js'
import { ownSeedTarget, seededNote, seedFiles } from '../seeds/seed-inputs.js'
import { type EmulatorInfo, stateFolder } from '../target/emulator-file.js'
import { envFile, fillEnvFile } from '../target/env-file.js'
import { ownHostNames } from '../target/own-names.js'
import { configFolder } from '../target/profiles.js'
import { openInBrowser } from '../terminal/browser.js'
import { prose } from '../terminal/prose.js'

export default class Dev extends SvcCommand {
  static override summary = 'Start the emulator.'
  static override description = prose(`Starts the service on this machine and keeps it running until Ctrl-C.

What was answered is kept in the state folder; stopping it in any way loses nothing. Stopped by Ctrl-C or
SIGTERM it exits with 0, within three seconds. Where it runs already, it says so and exits with 1.

Keys, control token and port belong to the state folder: they stay the same after a restart and after --fresh. With --memory
no data are kept, and it runs beside another emulator of the folder, by the same keys.

A command after -- runs beside it, with SVC_URL, SVC_WS_URL and SVC_API_KEY set. Both end together, and with the
command's exit code if it ends by itself.`)
  static override examples = [
    '<%= config.bin %> dev',
    '<%= config.bin %> dev --demo',
    '<%= config.bin %> dev -- npm run start',
    '<%= config.bin %> dev --memory --port 0 --ready-file ready.json --json',
  ]
  static override usage = 'dev [-- COMMAND...]'
  static override flags = {
    port: Flags.integer({
      min: 0,
      max: 65_535,
      description:
        'port to listen on; 0 takes a free one [default: the one before; at first 4400, or the next free one]',
    }),
    host: Flags.string({ description: 'address to listen on [default: this machine only]' }),
    data: Flags.string({ description: `state folder [default: ${stateFolder}]`, helpValue: 'folder' }),
    memory: Flags.boolean({ description: 'keep no data on disk', exclusive: ['fresh', 'database-url'] }),
    fresh: Flags.boolean({ description: 'start with no data; what there was is set aside' }),
    'new-token': Flags.boolean({ description: 'draw another control token; whoever has the old one is refused' }),
    dialect: Flags.string({ description: 'forms the project speaks: a, b, c, or "a, document=flat"' }),
    tier: Flags.option({
      options: tiers,
      description:
        'plan whose limits for files the project has; rate limits are off unless the setting rateLimit turns them on',
    })(),
    project: Flags.string({ default: 'dev', description: 'project that the key belongs to' }),
    'database-url': Flags.string({
      description: 'a PostgreSQL server instead of the embedded one',
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
    open: Flags.boolean({ description: "open the emulator's page in the browser" }),
    detach: Flags.boolean({ description: 'run in the background; svc stop ends it' }),
    demo: Flags.boolean({ description: 'add authors, posts, comments, a user and a file to look at, once' }),
    seed: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'file to fill collections from, as svc seed does',
      helpValue: 'file',
    }),
  }

  async run() {
    const [own, app] = splitAtDashes(this.argv, 'svc dev -- npm run start')
    const { flags } = await this.parse(Dev, own)
    const begunAt = performance.now()
    const folder = resolve(flags.data ?? stateFolder)
    const readyFile = flags['ready-file']
    const databaseUrl = flags['database-url']
    // A file from an earlier start would tell a waiting script that this one is ready.
    if (readyFile !== undefined) await rm(readyFile, { force: true })
    if (flags.detach) return this.detach(flags, folder, app)
    if (app.length > 0) await requireCommand(app)
    const seeds = flags.seed ? await findSeeds(flags.seed) : []
    const stopped = untilStopped()
    const { startEmulator } = await import('../../emulator/dev.js')
    const emulator = await startEmulator({
      ...(flags.port === undefined ? { choosePort: freePort(flags.host) } : { port: flags.port }),
      host: flags.host,
      dir: folder,
      privateDir: join(configFolder(), 'keys'),
      memory: flags.memory,
      fresh: flags.fresh,
      newToken: flags['new-token'],
      databaseUrl,
      filesUrl: flags['files-url'],
      project: flags.project,
      dialect: flags.dialect,
      tier: flags.tier,
      ...readMailUrls(flags),
      mailFrom: flags['mail-from'],
      trustedProxies: flags['trusted-proxies'],
      ...(isOpenToOthers(flags.host) ? { hosts: ownHostNames() } : {}),
    })
    try {
      const info = infoOf(emulator)
      const client = createClient({ url: info.url, apiKey: info.apiKey })
      await firstAnswers(emulator)
      const demo = flags.demo ? await loadDemo(client) : undefined
      const emulated = { emulator: ownSeedTarget(info), signal: new AbortController().signal }
      const seeding = { client, isUpsert: false, key: undefined, ...emulated }
      for await (const planted of seedFiles(seeds, seeding)) if (planted.created > 0) this.note(seededNote(planted))
      const published = await publishEmulatorInfo(info, { folder, readyFile, isBeside: flags.memory })
      const filled = published.other ? undefined : await this.fillEnv(folder, info)
      const seconds = (performance.now() - begunAt) / 1000
      const data = databaseUrl ? 'in PostgreSQL' : flags.memory ? 'in memory, gone when it stops' : nearby(folder)
      const { secretKey } = emulator
      const { other } = published
      const details = {
        ...{ seconds, data, folder, secretKey, demo, app, other },
        isKept: !flags.memory,
        isOpenToOthers: isOpenToOthers(flags.host),
      }
      if (this.jsonEnabled()) process.stdout.write(`${JSON.stringify({ type: 'ready', ...info })}\n`)
      else if (!flags.quiet) process.stdout.write(`${box(info, details)}\n`)
      if (filled !== undefined) this.note(`${nearby(filled)} has this address and key.`)
      if (flags.open) await openInBrowser(info.dashboardUrl)
      try {
        await (app.length > 0 ? this.besideApp(app, info, stopped) : this.alone(info, stopped))
      } finally {
        await published.withdraw()
      }
    } finally {
      await emulator.close()
    }
    this.note(flags.memory ? 'stopped' : 'stopped; what was answered is kept')
  }

  /** A file that cannot be written is the app's affair: the emulator runs all the same. */
  private async fillEnv(folder: string, info: EmulatorInfo): Promise<string | undefined> {
    try {
      return await fillEnvFile(folder, info)
    } catch (error) {
      this.note(`${envFile} could not be written: ${error instanceof Error ? error.message : error}`)
      return undefined
    }
  }

  private async alone(info: EmulatorInfo, stopped: Promise<NodeJS.Signals>): Promise<void> {
    const unlisten = this.jsonEnabled() ? () => undefined : await listenToKeys(info)
    await stopped
    unlisten()
  }

  private async besideApp(
    words: readonly string[],
    info: EmulatorInfo,
    stopped: Promise<NodeJS.Signals>,
  ): Promise<void> {
    const { startBeside } = await import('../dev/app-beside.js')
    const app = startBeside(words, info, { isStdoutOurs: this.jsonEnabled() })
    const end = await Promise.race([stopped, app.ended])
    if (typeof end === 'string') await app.stop(end)
    else process.exitCode = end
  }

  private async detach(
    { open, quiet }: { open: boolean; quiet: boolean },
    folder: string,
    app: readonly string[],
  ): Promise<void> {
    if (app.length > 0) throw misuse('A command runs beside "svc dev" at a terminal only.', 'Leave out --detach.')
    const { startDetached } = await import('../dev/detach.js')
    const words = this.argv.filter((word) => !['--detach', '--open', '--json'].includes(word))
    const { info, isBeside } = await startDetached(words, folder)
    if (this.jsonEnabled()) process.stdout.write(`${JSON.stringify({ type: 'ready', ...info })}\n`)
    else if (!quiet) {
      const stop = isBeside ? `kill ${info.pid}` : `svc stop${dataWords(folder)}`
      this.log(`${info.url} runs in the background, as process ${info.pid}. Stop it: ${stop}`)
    }
    if (open) await openInBrowser(info.dashboardUrl)
  }
}

/** What listens to keys is loaded only where somebody may press one. */
async function listenToKeys(info: EmulatorInfo): Promise<() => void> {
  if (!process.stdin.isTTY) return () => undefined
  const [{ WebSocket }, { listenToKeys }] = await Promise.all([import('ws'), import('../dev/hotkeys.js')])
  return listenToKeys(createClient({ url: info.url, apiKey: info.apiKey, WebSocket }), info)
}

function freePort(host: string | undefined) {
  return async (kept: number | undefined) => {
    const { firstFreePort } = await import('../dev/ports.js')
    return firstFreePort(host, kept)
  }
}

/** What the emulator file says, field by field: an emulator knows more than it may tell. Contract 11. */
function infoOf(emulator: Emulator): EmulatorInfo {
  const { url, wsUrl, storageUrl, dashboardUrl, projectId, apiKey, controlToken, pid, version } = emulator
  const dataDir = emulator.dataDir ?? null
  return { url, wsUrl, storageUrl, dashboardUrl, projectId, apiKey, controlToken, pid, dataDir, version }
}
