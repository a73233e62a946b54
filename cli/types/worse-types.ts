/** Refuses to replace types with less precise ones caused by permissions or bad values. */

import type { DescribedTypes } from '../../types/types-text.js'
import { isOurs } from '../../types/writers/header.js'
import { CliFailure, exits } from '../base/failure.js'

/** @throws {CliFailure} `WORSE_TYPES` */
export function requireNoWorse(place: string, was: string | undefined, types: DescribedTypes): void {
  const failure = whyWorse(place, was, types)
  if (failure) throw failure
}

function whyWorse(place: string, was: string | undefined, types: DescribedTypes): CliFailure | undefined {
  if (was === undefined || !isOurs(was)) return undefined
  const is = new Set(placedLines(types.text))
  const lost = placedLines(was).filter((line) => !is.has(line))
  const withheld = types.withheld.find(({ typeName }) => lost.some((line) => isOfType(line, typeName)))
  if (withheld) return worse(place, withheld.words, 'Use a key that can read them, such as the secret key')
  const withoutFew = new Set(placedLines(types.textWithoutFew))
  if (!lost.some((line) => withoutFew.has(line))) return undefined
  const few = types.few.flatMap(({ isLink, words }) => (isLink ? [] : [words]))
  return worse(place, few.join(', '), 'Correct these values')
}

function worse(place: string, why: string, wayOut: string): CliFailure {
  const message = `"${place}" was not updated because the new types are less precise: ${why}.`
  return new CliFailure('WORSE_TYPES', exits.failed, message, `${wayOut}, or delete the file to accept these types.`)
}

/** Prefixes each line with its parents by indentation, so that equal fields of two types differ. */
function placedLines(text: string): string[] {
  const above: string[] = []
  return text.split('\n').flatMap((line) => {
    // A new default takes nothing from the type.
    const said = line
      .trim()
      .replace(/,$/, '')
      .replace(/ (extends|&) Defaults<.*>/, '')
    const level = (line.length - line.trimStart().length) / 2
    above.splice(level, above.length, said)
    return /^(\/[/*]|[\])}]*$|import )/.test(said) ? [] : [above.join('\n')]
  })
}

function isOfType(line: string, typeName: string): boolean {
  return new RegExp(`\\b${typeName}`).test(line)
}
