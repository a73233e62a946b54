import { misuse } from '../base/failure.js'

/**
 * What is for the command itself, and what follows `--`; the latter is empty where there is no `--`.
 *
 * @throws {CliFailure} with exit 2 for a `--` at the end; `example` shows how it is meant.
 */
export function splitAtDashes(words: readonly string[], example: string): [own: string[], command: string[]] {
  const at = words.indexOf('--')
  if (at === -1) return [[...words], []]
  if (at === words.length - 1) throw misuse('A command has to follow "--".', `As in: ${example}`)
  return [words.slice(0, at), words.slice(at + 1)]
}
