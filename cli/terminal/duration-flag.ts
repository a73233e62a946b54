import { CLIError } from '@oclif/core/errors'
import { parseDuration, writeDuration } from './duration.js'

const unitMilliseconds = { s: 1_000, ms: 1 } as const

/** Node's timers fire at once if the delay is longer. */
const maxMilliseconds = 24 * 86_400_000

interface Bounds {
  /** The unit of the value, and of numbers without a unit. */
  readonly unit: keyof typeof unitMilliseconds
  readonly min?: number
  readonly max?: number
  /** Whether to refuse fractions. */
  readonly isWhole?: boolean
}

/**
 * Turns an integer flag into a duration flag. It accepts `30s`, `5m`, `1m30s`, or a number in `unit`. Its value is a number in
 * `unit`.
 */
export function asDuration({ unit, min = 0, max, isWhole = false }: Bounds) {
  return {
    helpValue: 'duration',
    async defaultHelp({ options }: { readonly options: { readonly default?: unknown } }): Promise<string | undefined> {
      return typeof options.default === 'number' ? writeDuration(options.default * unitMilliseconds[unit]) : undefined
    },
    async parse(text: string): Promise<number> {
      const milliseconds = parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}${unit}` : text)
      if (milliseconds === undefined) throw refused('a duration, for example 30s or 5m,', text)
      const limit = max === undefined ? maxMilliseconds : max * unitMilliseconds[unit]
      if (milliseconds > limit) throw refused(`at most ${writeDuration(limit)}`, text)
      const value = milliseconds / unitMilliseconds[unit]
      if (value < min) throw refused(`at least ${min}${unit}`, text)
      if (isWhole && !Number.isInteger(value)) throw refused('whole seconds', text)
      return value
    },
  }
}

function refused(wanted: string, text: string): CLIError {
  return new CLIError(`Expected ${wanted} but received: ${text}`)
}
