import type { Client, Collection } from '../../client/index.js'
import { CliFailure, exits, undefinedIfMissing } from '../base/failure.js'
import { nearest } from '../terminal/nearest.js'

/**
 * Returns the collections with these names or ids. Returns all if none is given.
 *
 * @throws {CliFailure} `NOT_FOUND`, with a similar name if there is one, else with `hint`
 * @throws {SvcError} if the caller cannot list collections
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
 * Looks up a collection that the list does not show. Undefined if it does not exist.
 *
 * @throws {SvcError} naming the scope that the key lacks, because a list omits what the key cannot read
 */
export function findUnlisted({ get }: Client['collections'], name: string): Promise<Collection | undefined> {
  return get(name).catch(undefinedIfMissing)
}
