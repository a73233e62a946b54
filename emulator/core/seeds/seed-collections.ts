import { SvcError } from '../../../client/protocol/model/errors.js'
import type { SeedCollection } from '../../../client/protocol/model/seed/steps.js'
import { selectCollection, selectCount } from '../../store/collections.js'
import { deleteDocuments } from '../../store/documents.js'
import { selectSomeIds } from '../../store/seeds.js'
import { changeCollection, createCollection } from '../collections/collections.js'
import type { Context } from '../context.js'
import { openCompleter, place, publishRecorded } from '../documents/writing.js'
import { requireCurrentRules } from '../unique-values.js'
import { noCounts, type OpenCollection, type Seeding } from './seeding.js'

/** Creates or updates the collection of a step according to the mode, and empties it for `replace`. */
export async function insertedOrChanged(
  { ctx, mode }: Seeding,
  { name, schema, permissions, key, isKeyGuessed = false, isAnswered }: SeedCollection,
): Promise<OpenCollection> {
  const settings = {
    ...(schema === undefined ? {} : { schema }),
    ...(permissions === undefined ? {} : { permissions }),
  }
  const before = await selectCollection(ctx.db, ctx.project.id, name)
  if (!before) await createCollection(ctx, { name, ...settings })
  else if (mode !== 'fill' && Object.keys(settings).length > 0) await changeCollection(ctx, name, settings)
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
