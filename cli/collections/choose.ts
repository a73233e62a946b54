import type { Client, Collection } from '../../client/index.js'
import { CliFailure, exits, undefinedIfMissing } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'

/**
 * The collections of these names or ids; all, without one.
 *
 * @throws {CliFailure} `NOT_FOUND` with the name that was meant, if one is near; else with `hint`
 * @throws {SvcError} with the reason why the caller may not know
 */
export async function chooseCollections(
  { collections }: Pick<Client, 'collections'>,
  words: readonly string[],
  hint: (word: string) => string,
): Promise<readonly Collection[]> {
  const all = await collections.list()
  if (words.length === 0) return all
  const chosen: Collection[] = []
  for (const word of new Set(words)) {
    const found = all.find(({ id, name }) => name === word || id === word) ?? (await findUnlisted(collections, word))
    if (!found) {
      const meant = nearest(
        word,
        all.map(({ name }) => name),
      )
      const said = meant ? `Did you mean "${meant}"?` : hint(word)
      throw new CliFailure('NOT_FOUND', exits.notFound, `No collection "${word}".`, said)
    }
    chosen.push(found)
  }
  return chosen
}

/**
 * A collection that a list does not name; undefined where there is none.
 *
 * @throws {SvcError} with the scope that the key lacks: a list leaves out what it is not for
 */
export function findUnlisted({ get }: Client['collections'], name: string): Promise<Collection | undefined> {
  return get(name).catch(undefinedIfMissing)
}
