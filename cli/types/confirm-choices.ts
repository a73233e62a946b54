/** Whether the few texts that a sample shows are all that there are. */
import type { Client } from '../../client/index.js'
import { areChoices } from '../../seeds/choices.js'
import type { Observed } from './observe.js'

/** No name of a field that can be asked about. */
const unaskable = '[]'

type Counting = Pick<ReturnType<Client['collection']>, 'count'>

/**
 * Documents that lie beside each other are often alike, so each field that seems to have choices is asked about: one count of the
 * documents with another text. What cannot be asked, as within arrays, is text.
 */
export async function confirmChoices(
  collection: Counting,
  seen: Observed,
  path: readonly string[] = [],
): Promise<void> {
  const { texts, objects, items } = seen
  if (texts && texts.format === undefined && areChoices(texts.different.size, texts.count)) {
    const isAskable = path.length > 0 && path.every((name) => /^[\w-]+$/.test(name))
    const where = { [path.join('.')]: { notin: [...texts.different], isnull: false } }
    if (!isAskable || (await collection.count({ where })) > 0) texts.different.clear()
  }
  for (const [name, place] of objects?.fields ?? []) await confirmChoices(collection, place, [...path, name])
  // Nothing can be asked about an item, and so about what is in it.
  if (items) await confirmChoices(collection, items, [unaskable])
}
