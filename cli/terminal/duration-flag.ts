import { CLIError } from '@oclif/core/errors'
import { parseDuration, writeDuration } from './duration.js'

const millisecondsOf = { s: 1_000, ms: 1 } as const

/** Node's timers run out at once where they are to run for longer. */
const mostMilliseconds = 24 * 86_400_000

interface Bounds {
  /** What a number without a unit counts, and what the value is in. */
  readonly unit: keyof typeof millisecondsOf
  readonly min?: number
  readonly max?: number
  /** Whether what takes it counts whole units only. */
  readonly isWhole?: boolean
}

/**
 * What makes a flag of a number one of a duration: it takes `30s`, `5m` or `1m30s`, and a number alone counts its unit. Its value
 * is a number of that unit.
 */
export function asDuration({ unit, min = 0, max, isWhole = false }: Bounds) {
  return {
    helpValue: 'duration',
    async defaultHelp({ options }: { readonly options: { readonly default?: unknown } }): Promise<string | undefined> {
      return typeof options.default === 'number' ? writeDuration(options.default * millisecondsOf[unit]) : undefined
    },
    async parse(text: string): Promise<number> {
      const milliseconds = parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}${unit}` : text)
      if (milliseconds === undefined) throw refused('a duration, as 30s or 5m,', text)
      const most = max === undefined ? mostMilliseconds : max * millisecondsOf[unit]
      if (milliseconds > most) throw refused(`at most ${writeDuration(most)}`, text)
      const value = milliseconds / millisecondsOf[unit]
      if (value < min) throw refused(`at least ${min}${unit}`, text)
      if (isWhole && !Number.isInteger(value)) throw refused('whole seconds', text)
      return value
    },
  }
}

function refused(wanted: string, text: string): CLIError {
  return new CLIError(`Expected ${wanted} but received: ${text}`)
}
