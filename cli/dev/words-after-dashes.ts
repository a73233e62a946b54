import { misuse } from '../base/failure.js'

/**
 * Splits the arguments at `--`. The second part is empty without a `--`.
 *
 * @throws {CliFailure} with exit 2 for a `--` at the end, with `example` in the hint
 */
export function splitAtDashes(words: readonly string[], example: string): [own: string[], command: string[]] {
  const at = words.indexOf('--')
  if (at === -1) return [[...words], []]
  if (at === words.length - 1) throw misuse('A command must follow "--".', `Example: ${example}`)
  return [words.slice(0, at), words.slice(at + 1)]
}
