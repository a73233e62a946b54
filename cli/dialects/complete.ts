import { type Axis, axisNames, type Dialect } from '../../client/protocol/wire/axes.js'
import { dialects, formatDialect } from '../../client/protocol/wire/dialects.js'
import { CliFailure, exits } from '../base/failure.js'
import type { Finding } from './finding.js'

export interface DetectedDialect {
  readonly forms: Dialect
  /** Axes that no response showed. */
  readonly assumed: readonly Axis[]
  /** Text to save. Names only detected forms. */
  readonly text: string
}

/**
 * Completes the detected forms from the closest named dialect.
 *
 * @throws {CliFailure} if the responses show fewer than a third of the forms
 */
export function completeDialect(url: string, findings: readonly Finding[]): DetectedDialect {
  if (findings.length * 3 < axisNames().length) throw tooLittleSeen(url, findings)
  const { forms, assumed } = complete(findings)
  return { forms, assumed, text: assumed.length === 0 ? formatDialect(forms) : formatFindings(findings) }
}

function complete(findings: readonly Finding[]): { forms: Dialect; assumed: Axis[] } {
  const agreement = (dialect: Dialect) => findings.filter(({ axis, form }) => dialect[axis] === form).length
  const [nearest = dialects.a] = Object.values<Dialect>(dialects).sort(
    (one, other) => agreement(other) - agreement(one),
  )
  const seen: Partial<Dialect> = Object.fromEntries(findings.map(({ axis, form }) => [axis, form]))
  return {
    forms: { ...nearest, ...seen },
    assumed: axisNames().filter((axis) => !findings.some((finding) => finding.axis === axis)),
  }
}

/** Lists the detected forms, because the name of a dialect would include assumed ones. */
function formatFindings(findings: readonly Finding[]): string {
  return findings.map(({ axis, form }) => `${axis}=${form}`).join(', ')
}

function tooLittleSeen(url: string, findings: readonly Finding[]): CliFailure {
  const seen = findings.length === 0 ? '' : `: ${formatFindings(findings)}`
  const message = `The responses of ${url} show only ${findings.length} of ${axisNames().length} forms${seen}.`
  const hint = 'Name a collection with documents: --collection posts. Or name the dialect: --dialect b'
  return new CliFailure('TOO_LITTLE_SEEN', exits.failed, message, hint)
}
