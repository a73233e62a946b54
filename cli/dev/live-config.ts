/** Applies changes of svc.json to a running emulator. */
import type { ProjectSettings, SvcConfig } from '../../client/protocol/model/project.js'
import { describeFailure } from '../base/failure.js'
import { applyConfig } from '../config/apply-config.js'
import type { FolderConfig } from '../config/folder-config.js'
import { watchConfig } from '../config/watch-config.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { drawLatency, type Latency, readLatency } from './latency.js'

export interface LiveConfig {
  /** Returns the delay of the next response, in milliseconds. */
  nextLatency(): number
  readonly latency: () => Latency
  /** Applies the file now and on each change, until the returned function is called. */
  follow(emulator: EmulatorInfo, say: (words: string) => void): Promise<() => void>
}

interface FlagValues {
  readonly latency: string | undefined
  readonly settings: readonly (keyof ProjectSettings)[]
}

/** @throws {CliFailure} with exit 2 if the latency is invalid */
export function openLiveConfig(file: FolderConfig, flags: FlagValues): LiveConfig {
  const name = 'svc.json'
  const chooseLatency = ({ dev }: SvcConfig) =>
    flags.latency === undefined ? readLatency(dev?.latency, name) : readLatency(flags.latency, '--latency')
  let latency = chooseLatency(file.config)
  let current: SvcConfig = {}

  async function follow(emulator: EmulatorInfo, say: (words: string) => void): Promise<() => void> {
    const apply = async (to: SvcConfig, from = current) => {
      const next = chooseLatency(to)
      const applied = await applyConfig(emulator, { from, to, fixed: flags.settings })
      latency = next
      current = to
      return applied
    }
    await apply(file.config, { dev: file.config.dev })
    if (file.path === undefined) return () => undefined
    return watchConfig(file.path, {
      async onChange(to) {
        const { changed, later } = await apply(to)
        if (changed.length > 0) say(`${name}: ${changed.join(', ')} changed and applied`)
        if (later.length > 0) say(`${name}: ${later.join(', ')} changed; restart svc dev to apply`)
      },
      onBroken(error) {
        const { message, hint } = describeFailure(error)
        say(
          `${message.startsWith(name) ? message : `${name}: ${message}`} The previous settings stay in effect. ${hint ?? ''}`,
        )
      },
    })
  }

  return { nextLatency: () => drawLatency(latency), latency: () => latency, follow }
}
