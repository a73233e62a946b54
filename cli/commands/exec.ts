import * as Flags from '@oclif/core/flags'
import { createClient } from '../../client/index.js'
import { tiers } from '../../client/protocol/model/limits.js'
import type { Emulator } from '../../emulator/assembly/dev.js'
import { applySeedFile, findSeeds } from '../../seeds/seed.js'
import { misuse } from '../base/failure.js'
import { SvcCommand } from '../base/svc-command.js'
import { applyConfig } from '../config/apply-config.js'
import { openFolderConfig } from '../config/folder-config.js'
import { requireCommand } from '../dev/app-command.js'
import { firstAnswers } from '../dev/first-answer.js'
import { splitAtDashes } from '../dev/words-after-dashes.js'
import { findSnapshot } from '../exec/first-snapshot.js'
import { passSignals } from '../exec/pass-signals.js'
import { allowCode } from '../seeds/allow-code.js'
import { ownSeedTarget, plantedIn, seededNote } from '../seeds/seed-inputs.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { prose } from '../terminal/prose.js'

const example = 'svc exec -- npm test'

export default class Exec extends SvcCommand {
  static override summary = 'Run a command against a temporary emulator.'
  static override description =
    prose(`Starts an emulator in memory on a free port, runs the command, and exits with the command's exit code. Writes nothing to
the folder, and leaves its own emulator alone.

Sets SVC_URL, SVC_WS_URL, SVC_API_KEY, SVC_SECRET_KEY, SVC_CONTROL_TOKEN and SVC_PROJECT_ID for the command, and passes signals on to
it. If a signal ends the command, the exit code is 128 plus the signal's number.`)
  static override examples = [
    '<%= config.bin %> exec -- npm test',
    '<%= config.bin %> exec --seed seeds/users.json --dialect b -- npx vitest run',
  ]
  static override usage = 'exec [FLAGS] -- COMMAND...'
  // Lets run() report a command without `--` before it.
  static override strict = false
  static override flags = {
    snapshot: Flags.string({
      description:
        'snapshot to start with: a file from "svc snapshot export", or a snapshot of the emulator that runs here',
      helpValue: 'name',
    }),
    seed: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      description: 'seed file to apply; see svc seed',
      helpValue: 'file',
    }),
    project: Flags.string({ description: 'id of the project that the keys belong to [default: dev]' }),
    dialect: Flags.string({ description: 'dialect of the project: a, b, c, d, or "a, document=flat"' }),
    tier: Flags.option({ options: tiers, description: 'plan that sets the file limits of the project' })(),
  }

  protected readonly access = 'write'

  async run() {
    const [own, words] = splitAtDashes(this.argv, example)
    const { flags, argv } = await this.parse(Exec, own)
    if (argv.length > 0 || words.length === 0) throw misuse('The command must follow "--".', `Example: ${example}`)
    await requireCommand(words)
    const seeds = flags.seed ? await findSeeds(flags.seed) : []
    const loadSnapshot = flags.snapshot === undefined ? undefined : await findSnapshot(flags.snapshot)
    const file = await openFolderConfig(this.asker(flags))
    const signals = passSignals()
    const { dialect, tier, project = file.config.dev?.project } = flags
    const [{ startEmulator }, { runCommand }] = await Promise.all([
      import('../../emulator/assembly/dev.js'),
      import('../exec/run-command.js'),
    ])
    const emulator = await startEmulator({ memory: true, project, dialect, tier })
    try {
      await firstAnswers(emulator)
      await loadSnapshot?.(emulator)
      // A snapshot has settings too, so the flags and svc.json are applied after it.
      const settings = { ...file.config.settings, ...(dialect && { dialect }), ...(tier && { tier }) }
      await applyConfig(emulator, { from: {}, to: { settings }, fixed: [] })
      await this.seed(emulator, seeds, flags)
      this.note(`emulator at ${emulator.url}, in memory`)
      const command = runCommand(words, { env: makeEnvironment(emulator), isStdoutOurs: this.jsonEnabled() })
      signals.to(command.pass)
      process.exitCode = await command.ended
      return { exit: process.exitCode }
    } finally {
      await emulator.close()
    }
  }

  private async seed(emulator: Emulator, files: readonly string[], flags: { yes: boolean }): Promise<void> {
    const { url, apiKey } = emulator
    const client = createClient({ url, apiKey, transport: 'sse', fetch: fetchDirectly })
    const allow = allowCode(this.asker(flags))
    for (const file of files) {
      const sent = await applySeedFile(ownSeedTarget(emulator), file, { modules: { client, allow } })
      for (const one of plantedIn(sent)) if (one.created > 0) this.note(seededNote(one))
    }
  }
}

function makeEnvironment({
  url,
  wsUrl,
  apiKey,
  secretKey = '',
  controlToken,
  projectId,
}: Emulator): Record<string, string> {
  return {
    SVC_URL: url,
    SVC_WS_URL: wsUrl,
    SVC_API_KEY: apiKey,
    SVC_SECRET_KEY: secretKey,
    SVC_CONTROL_TOKEN: controlToken,
    SVC_PROJECT_ID: projectId,
  }
}
