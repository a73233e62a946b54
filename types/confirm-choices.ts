/** Checks with the service whether a sample shows every value of a field. */
import type { Client } from '../client/index.js'
import type { Schema } from '../client/protocol/model/collection.js'
import { areChoices } from './choices.js'
import type { Observed } from './observe.js'
import { areKeysData, listPlaces } from './shapes.js'

/** Marks paths that cannot be queried. Cannot be a field name. */
const unaskable = '[]'

type Counting = Pick<ReturnType<Client['collection']>, 'count'>

/**
 * Neighboring documents are often alike, so the sample may miss values. Counts, for each field that looks like an
 * enum, the documents with another text. Fields that cannot be queried (inside arrays or dictionaries) become plain
 * text.
 *
 * @param schema of the documents, if `seen` holds whole documents
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
  // Treats all values of a dictionary alike, including those under keys the sample lacks.
  if (objects && areKeysData(objects, schema)) listPlaces(objects).forEach(dropChoices)
  else {
    for (const [name, place] of objects?.fields ?? []) await confirmChoices(collection, place, {}, [...path, name])
  }
  // Array items cannot be queried, and neither can anything inside them.
  if (items) await confirmChoices(collection, items, {}, [unaskable])
}

function dropChoices({ texts, objects, items }: Observed): void {
  texts?.different.clear()
  if (objects) listPlaces(objects).forEach(dropChoices)
  if (items) dropChoices(items)
}
