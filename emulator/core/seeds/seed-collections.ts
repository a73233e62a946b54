import { usersWord } from '../../../client/protocol/model/collection.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { listTargets } from '../../../client/protocol/model/link-targets.js'
import type { SeedCollection } from '../../../client/protocol/model/seed/steps.js'
import { selectCollection, selectCount } from '../../store/collections.js'
import { deleteDocuments } from '../../store/documents.js'
import { selectSomeIds } from '../../store/seeds.js'
import { type CollectionDefinition, changeCollection, createCollection } from '../collections/collections.js'
import type { Context } from '../context.js'
import { openCompleter, place, publishRecorded } from '../documents/door.js'
import { requireCurrentRules } from '../unique-values.js'
import { noCounts, type OpenCollection, type Seeding } from './seeding.js'

/** Creates or updates the collection of a step according to the mode, and empties it for `replace`. */
export async function insertedOrChanged(seeding: Seeding, step: SeedCollection): Promise<OpenCollection> {
  const { ctx, mode, linked } = seeding
  const { name, key, isKeyGuessed = false, isAnswered } = step
  const settings = readSettings(step)
  const before = await selectCollection(ctx.db, ctx.project.id, name)
  const isKept = before && mode === 'fill' && !linked.has(name)
  if (!isKept) await createTargets(seeding, step)
  if (!before) await createCollection(ctx, { name, ...settings })
  else if (!isKept && Object.keys(settings).length > 0) await changeCollection(ctx, name, settings)
  const collection = await selectCollection(ctx.db, ctx.project.id, name)
  if (!collection) throw new SvcError('NOT_FOUND', `No collection "${name}".`)
  if (before && mode === 'replace') await removeAll(ctx, collection)
  const hadDocuments = before !== undefined && (await selectCount(ctx.db, collection.id)) > 0
  return {
    ...{ collection, key, isKeyGuessed, hadDocuments, counts: noCounts(), byKey: undefined },
    isWritten: !hadDocuments || mode !== 'fill',
    ids: isAnswered ? [] : undefined,
    complete: openCompleter(collection),
  }
}

function readSettings({ schema, unique, title, permissions }: SeedCollection): Partial<CollectionDefinition> {
  return {
    ...(schema === undefined ? {} : { schema }),
    ...(unique === undefined ? {} : { unique }),
    ...(title === undefined ? {} : { title }),
    ...(permissions === undefined ? {} : { permissions }),
  }
}

/** Creates the collections of later steps that links of this one lead to. Their own steps give them their settings. */
async function createTargets(
  { ctx, linked, readNames }: Seeding,
  { name: own, schema = {} }: SeedCollection,
): Promise<void> {
  for (const name of listTargets(schema)) {
    if (name === usersWord || name === own || (await selectCollection(ctx.db, ctx.project.id, name))) continue
    // The schema is refused for a collection that the seed lacks too.
    if (!(await readNames()).has(name)) return
    await createCollection(ctx, { name })
    linked.add(name)
  }
}

/** Documents deleted per statement. */
const batchSize = 1_000

async function removeAll(ctx: Context, collection: OpenCollection['collection']): Promise<void> {
  await requireCurrentRules(ctx, collection)
  for (;;) {
    const ids = await selectSomeIds(ctx.db, collection.id, batchSize)
    if (ids.length === 0) return
    await publishRecorded(ctx, () =>
      deleteDocuments(ctx.db, place(ctx, collection, ctx.backend.now(ctx.project.id)), ids),
    )
  }
}
