/** Keeps a running emulator in step with the project file of its folder. */
import type { ProjectSettings, SvcConfig } from '../../client/protocol/model/project.js'
import { describeFailure } from '../base/failure.js'
import { applyConfig } from '../config/apply-config.js'
import type { FolderConfig } from '../config/folder-config.js'
import { watchConfig } from '../config/watch-config.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { drawLatency, type Latency, readLatency } from './latency.js'

export interface LiveConfig {
  /** Milliseconds that the next answer comes later. */
  nextLatency(): number
  readonly latency: () => Latency
  /** Brings the emulator in line with the file, and keeps it so until the answered function is called. */
  follow(emulator: EmulatorInfo, say: (words: string) => void): Promise<() => void>
}

interface OfFlags {
  readonly latency: string | undefined
  readonly settings: readonly (keyof ProjectSettings)[]
}

/** @throws {CliFailure} with exit 2 for a latency that is none */
export function openLiveConfig(file: FolderConfig, flags: OfFlags): LiveConfig {
  const name = 'svc.json'
  const latencyOf = ({ dev }: SvcConfig) =>
    flags.latency === undefined ? readLatency(dev?.latency, name) : readLatency(flags.latency, '--latency')
  let latency = latencyOf(file.config)
  let current: SvcConfig = {}

  async function follow(emulator: EmulatorInfo, say: (words: string) => void): Promise<() => void> {
    const bring = async (to: SvcConfig, from = current) => {
      const next = latencyOf(to)
      const applied = await applyConfig(emulator, { from, to, fixed: flags.settings })
      latency = next
      current = to
      return applied
    }
    await bring(file.config, { dev: file.config.dev })
    if (file.path === undefined) return () => undefined
    return watchConfig(file.path, {
      async onChange(to) {
        const { changed, later } = await bring(to)
        if (changed.length > 0) say(`${name}: ${changed.join(', ')} changed, in effect`)
        if (later.length > 0) say(`${name}: ${later.join(', ')} changed, in effect at the next start`)
      },
      onBroken(error) {
        const { message, hint } = describeFailure(error)
        say(
          `${message.startsWith(name) ? message : `${name}: ${message}`} What was in effect stays in effect. ${hint ?? ''}`,
        )
      },
    })
  }

  return { nextLatency: () => drawLatency(latency), latency: () => latency, follow }
}
