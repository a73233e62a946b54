import type { Collection } from '../../client/index.js'
import { CliFailure, exits } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'

/**
 * The collections of these names or ids; all, without one.
 *
 * @throws {CliFailure} `NOT_FOUND` with the name that was meant, if one is near; else with `hint`
 */
export function chooseCollections(
  all: readonly Collection[],
  words: readonly string[],
  hint: (word: string) => string,
): readonly Collection[] {
  if (words.length === 0) return all
  return [...new Set(words)].map((word) => {
    const found = all.find(({ id, name }) => name === word || id === word)
    if (found) return found
    const names = all.map(({ name }) => name)
    const meant = nearest(word, names)
    throw new CliFailure(
      'NOT_FOUND',
      exits.notFound,
      `No collection "${word}".`,
      meant ? `Did you mean "${meant}"?` : hint(word),
    )
  })
}
