import { basename, dirname } from 'node:path'
import { createClient } from '../../client/index.js'
import type { Emulator } from '../../emulator/assembly/dev.js'
import { findSeeds } from '../../seeds/seed.js'
import { calledAs } from '../base/called-as.js'
import { misuse } from '../base/failure.js'
import { SvcCommand } from '../base/svc-command.js'
import { openFolderConfig, rememberFolder } from '../config/folder-config.js'
import { requireCommand } from '../dev/app-command.js'
import { type BoxDetails, box, dataWords, nearby } from '../dev/box.js'
import { loadDemo } from '../dev/demo.js'
import { type DevOptions, devFlags, devOptions, settingsOfFlags } from '../dev/dev-flags.js'
import { firstAnswers } from '../dev/first-answer.js'
import { latencyWords } from '../dev/latency.js'
import { openLiveConfig } from '../dev/live-config.js'
import { publishEmulatorInfo } from '../dev/publish.js'
import { openRequestLog } from '../dev/request-log.js'
import { boxDetails, loadSnapshot, type Started, start } from '../dev/start.js'
import { type Stopping, untilStopped } from '../dev/until-stopped.js'
import { splitAtDashes } from '../dev/words-after-dashes.js'
import { clearReadyFile } from '../files/ready-file.js'
import { openServedBranch } from '../git/served-branch.js'
import { createSeedOptions, ownSeedTarget, type SeedOptions, seededNote, seedFiles } from '../seeds/seed-inputs.js'
import { type EmulatorInfo, stateFolder } from '../target/emulator-file.js'
import { envFile, fillEnvFile, lacksEnvFile } from '../target/env-file.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { openDashboard } from '../target/open-dashboard.js'
import { ignoreClosedOutput } from '../terminal/closed-output.js'
import { prose } from '../terminal/prose.js'
import { printableLines } from '../terminal/text-width.js'

interface ReadyDetails extends BoxDetails {
  readonly open: boolean
  readonly signal: AbortSignal
}

export default class Dev extends SvcCommand {
  static override hiddenAliases = ['up']
  static override summary = 'Start the emulator.'
  static override description = prose(`Runs the service on this machine until you press Ctrl-C.

Your data is saved in the state folder, .svc by default. You lose nothing when the emulator stops, not even when it is killed.
After Ctrl-C or SIGTERM it exits with 0 within three seconds. If an emulator already runs in this folder, the command exits with 1.

Keys, control token and port are stored in the state folder and survive restarts and --fresh. With --memory nothing is saved, and
you can run it next to the folder's emulator, with the same keys.

You can start your app with it: svc dev -- npm run start. The app gets SVC_URL, SVC_WS_URL and SVC_API_KEY. Both stop together. If the
app exits first, svc dev exits with its exit code.`)
  static override examples = [
    '<%= config.bin %> dev',
    '<%= config.bin %> dev --demo',
    '<%= config.bin %> dev -- npm run start',
    '<%= config.bin %> dev --memory --port 0 --ready-file ready.json --json',
  ]
  static override usage = '<%= command.id %> [-- COMMAND...]'
  static override flags = devFlags

  protected readonly access = 'write'

  async run() {
    const [own, app] = splitAtDashes(this.argv, 'svc dev -- npm run start')
    const { flags } = await this.parse(Dev, own)
    const readyFile = flags['ready-file']
    if (readyFile !== undefined) await clearReadyFile(readyFile)
    const ask = this.asker(flags)
    const file = await openFolderConfig(ask)
    // Time spent at a prompt does not count as starting.
    const begunAt = performance.now()
    const options = devOptions(flags, file)
    if (flags.detach) return this.detach(flags, options.folder, app)
    if (app.length > 0) await requireCommand(app)
    const seeds = options.seed ? await findSeeds(options.seed) : []
    const live = openLiveConfig(file, { latency: flags.latency, settings: settingsOfFlags(flags) })
    const stopping = untilStopped()
    const { signal, unlessStopped } = stopping
    const requests = openRequestLog(options.folder)
    const branch = options['per-branch'] ? await openServedBranch() : undefined
    const started: Started = { live, requests, branch }
    const emulator = await start(options, started)
    // Writing to a closed terminal fails, and would end the process before the emulator is closed.
    ignoreClosedOutput()
    try {
      signal.throwIfAborted()
      const info = pickInfo(emulator)
      const { url, apiKey } = info
      const client = createClient({ url, apiKey, transport: 'sse', fetch: fetchDirectly })
      const [hashLibrary] = await unlessStopped(Promise.all([emulator.hashLibrary(), firstAnswers(emulator)]))
      if (flags.snapshot !== undefined)
        await unlessStopped(loadSnapshot(info, flags.snapshot, (words) => this.note(words)))
      const demo = flags.demo
        ? await unlessStopped(loadDemo(ownSeedTarget(info), client, (words) => this.noteAlways(words)))
        : undefined
      const seeding = createSeedOptions(info, client, ask, signal)
      const unwatch = await unlessStopped(this.seed(seeds, seeding, flags.watch))
      const unfollow = await unlessStopped(this.follow(info, started))
      const endTypes = await this.keepTypes(options, flags.types !== undefined, info)
      await rememberFolder(process.cwd())
      signal.throwIfAborted()
      const published = await publishEmulatorInfo(info, {
        folder: options.folder,
        readyFile,
        isBeside: options.memory,
      })
      try {
        signal.throwIfAborted()
        const { other } = published
        requests.begin()
        const seconds = (performance.now() - begunAt) / 1000
        await this.sayReady(info, {
          ...{ ...(await boxDetails(options, emulator, branch)), hashLibrary, seconds, demo, app, other },
          ...{ open: flags.open, signal },
        })
        await (app.length > 0
          ? this.besideApp(app, info, stopping)
          : this.alone(info, stopping, started, options.folder))
      } finally {
        unfollow()
        await endTypes()
        await unwatch()
        await published.withdraw((words) => this.noteAlways(words))
      }
    } catch (error) {
      if (!isStop(error, signal)) throw error
    } finally {
      await emulator.close()
      requests.close()
    }
    this.note(options.memory ? 'stopped' : 'stopped; your data is saved')
  }

  /** Follows changes of svc.json and of the git branch, until the returned function is called. */
  private async follow(info: EmulatorInfo, { live, branch }: Started): Promise<() => void> {
    const say = (words: string) => this.note(words)
    const ends = [await live.follow(info, say), branch?.follow(say)]
    return () => {
      for (const end of ends) end?.()
    }
  }

  /** Applies the seeds. With `isWatched`, applies them again on save, until the returned function is called. */
  private async seed(files: readonly string[], seeding: SeedOptions, isWatched: boolean): Promise<() => Promise<void>> {
    if (isWatched) {
      if (files.length === 0)
        throw misuse('--watch needs files to watch.', 'Add --seed: svc dev --seed seed.json --watch')
      const { watchSeeds } = await import('../seeds/watch-seeds.js')
      return watchSeeds(files, seeding, (words) => this.note(words))
    }
    for await (const planted of seedFiles(files, seeding)) if (planted.created > 0) this.note(seededNote(planted))
    return async () => undefined
  }

  /** Keeps the types file up to date, until the returned function is called. */
  private async keepTypes(
    { types: place }: DevOptions,
    isTyped: boolean,
    info: EmulatorInfo,
  ): Promise<() => Promise<void>> {
    if (place === undefined) return async () => undefined
    const { keepEmulatorTypes } = await import('../types/keep-emulator-types.js')
    return keepEmulatorTypes(info, { place, isTyped }, (words) => this.note(words))
  }

  private async sayReady(info: EmulatorInfo, details: ReadyDetails): Promise<void> {
    const filled = details.other ? undefined : await this.fillEnv(details.folder, info)
    details.signal.throwIfAborted()
    if (this.jsonEnabled()) process.stdout.write(`${JSON.stringify({ type: 'ready', ...info })}\n`)
    else if (!this.isQuiet()) process.stdout.write(`${box(info, details)}\n`)
    if (filled !== undefined) this.note(`${nearby(filled)} has this address and key.`)
    else if (basename(details.folder) === stateFolder && lacksEnvFile(dirname(details.folder)))
      this.note(`No .env file here has the address of the service. Create ${envFile}: ${calledAs()} init --yes`)
    if (details.open) await openDashboard(info, details.folder)
  }

  /** Reports a file that cannot be written. The emulator runs without it. */
  private async fillEnv(folder: string, info: EmulatorInfo): Promise<string | undefined> {
    try {
      return await fillEnvFile(folder, info)
    } catch (error) {
      this.note(`Could not write ${envFile}: ${error instanceof Error ? error.message : error}`)
      return undefined
    }
  }

  private async alone(info: EmulatorInfo, { stopped }: Stopping, started: Started, folder: string): Promise<void> {
    const unlisten = this.jsonEnabled() ? () => undefined : await listenToKeys(info, started, folder)
    await stopped
    unlisten()
  }

  private async besideApp(words: readonly string[], info: EmulatorInfo, { stopped, signal }: Stopping): Promise<void> {
    const { startBeside } = await import('../dev/app-beside.js')
    signal.throwIfAborted()
    const app = startBeside(words, info, { isStdoutOurs: this.jsonEnabled() })
    const end = await Promise.race([stopped, app.ended])
    if (typeof end === 'string') await app.stop(end)
    else process.exitCode = end
  }

  /** Writes notes to the log in the background, although --json would hide them. */
  protected override noteAlways(text: string, colour?: (text: string) => string): void {
    if (process.env[inBackground] === '1') process.stderr.write(`${printableLines(text)}\n`)
    else super.noteAlways(text, colour)
  }

  private async detach(
    { open, quiet }: { open: boolean; quiet: boolean },
    folder: string,
    app: readonly string[],
  ): Promise<void> {
    if (app.length > 0) throw misuse('--detach cannot run a command after --.', 'Leave out --detach, or the command.')
    const { startDetached } = await import('../dev/detach.js')
    const words = this.argv.filter((word) => !['--detach', '--open', '--json'].includes(word))
    const { info, isBeside } = await startDetached(words, folder, { [inBackground]: '1' })
    if (this.jsonEnabled()) process.stdout.write(`${JSON.stringify({ type: 'ready', ...info })}\n`)
    else if (!quiet) {
      const stop = isBeside ? `kill ${info.pid}` : `svc stop${dataWords(folder)}`
      this.log(`The emulator runs in the background at ${info.url} (process ${info.pid}). Stop it: ${stop}`)
    }
    if (open) await openDashboard(info, folder)
  }
}

/** Tells the process of `--detach` that it runs in the background. */
const inBackground = 'SVC_DEV_IN_BACKGROUND'

function isStop(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && error === reason
}

/** Loads the hotkeys only if there is a terminal. */
async function listenToKeys(
  info: EmulatorInfo,
  { live, requests, branch }: Started,
  folder: string,
): Promise<() => void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return () => undefined
  const [{ WebSocket }, { listenToKeys }] = await Promise.all([import('ws'), import('../dev/hotkeys.js')])
  const client = createClient({ url: info.url, apiKey: info.apiKey, WebSocket })
  const about = () => [...(branch ? [branch.describe()] : []), ...latencyWords(live.latency())]
  return listenToKeys({ client, emulator: info, folder, requests, about })
}

/** Picks the fields of the emulator file, because an emulator knows more than it may publish. Contract 11. */
function pickInfo(emulator: Emulator): EmulatorInfo {
  const { url, wsUrl, storageUrl, dashboardUrl, projectId, apiKey, controlToken, pid, version } = emulator
  const dataDir = emulator.dataDir ?? null
  return { url, wsUrl, storageUrl, dashboardUrl, projectId, apiKey, controlToken, pid, dataDir, version }
}
