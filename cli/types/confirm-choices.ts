/** Whether the few texts that a sample shows are all that there are. */
import type { Client } from '../../client/index.js'
import type { Schema } from '../../client/protocol/model/collection.js'
import { areChoices } from '../../seeds/choices.js'
import type { Observed } from './observe.js'
import { areKeysData, placesOf } from './shapes.js'

/** No name of a field that can be asked about. */
const unaskable = '[]'

type Counting = Pick<ReturnType<Client['collection']>, 'count'>

/**
 * Documents that lie beside each other are often alike, so each field that seems to have choices is asked about: one count of the
 * documents with another text. What cannot be asked, as within arrays and where names are data, is text.
 *
 * @param schema of the documents, if they are what was seen
 */
export async function confirmChoices(
  collection: Counting,
  seen: Observed,
  schema: Schema = {},
  path: readonly string[] = [],
): Promise<void> {
  const { texts, objects, items } = seen
  if (texts && texts.format === undefined && areChoices(texts.different.size, texts.count)) {
    const isAskable = path.length > 0 && path.every((name) => /^[\w-]+$/.test(name))
    const where = { [path.join('.')]: { notin: [...texts.different], isnull: false } }
    if (!isAskable || (await collection.count({ where })) > 0) texts.different.clear()
  }
  // All of a dictionary's values are taken together, also those at names that the sample lacks.
  if (objects && areKeysData(objects, schema)) placesOf(objects).forEach(dropChoices)
  else {
    for (const [name, place] of objects?.fields ?? []) await confirmChoices(collection, place, {}, [...path, name])
  }
  // Nothing can be asked about an item, and so about what is in it.
  if (items) await confirmChoices(collection, items, {}, [unaskable])
}

function dropChoices({ texts, objects, items }: Observed): void {
  texts?.different.clear()
  if (objects) placesOf(objects).forEach(dropChoices)
  if (items) dropChoices(items)
}
