/** Refuses to delete a collection while documents of others link to it with `refuse`. Contract 13.3. */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { countLinking, isLinked, type LinkingCollection, selectLinkingCollections } from '../../store/dependants.js'
import type { Covered } from '../../store/memberships.js'
import { grantFor, partFor } from '../access/grant.js'
import { documentInUse, maxCounted } from '../access/in-use.js'
import type { Context } from '../context.js'
import { eachItem, type LinkPath, listLinkRules } from './link-rules.js'

/**
 * Call it in the transaction of the deletion, after the statement that marked the collection as removed: only a later
 * statement sees the links that others committed before.
 *
 * @throws {SvcError} `DOCUMENT_IN_USE`
 */
export async function requireUnlinked(ctx: Context, { id }: StoredCollection): Promise<void> {
  if (!(await isLinked(ctx.db, ctx.project.id, id))) return
  const linking: { name: string; documents: number }[] = []
  let isUsed = false
  for (const collection of await selectLinkingCollections(ctx.db, ctx.project.id)) {
    for (const { path, to, onDelete } of listLinkRules(collection.schema)) {
      if (to !== id || onDelete !== 'refuse') continue
      const { all, readable } = await countUsing(ctx, collection, { to, path: toJsonPath(path) })
      isUsed ||= all > 0
      if (readable > 0) linking.push({ name: collection.name, documents: readable })
    }
  }
  if (isUsed) throw documentInUse(linking)
}

/** Counts the documents of a collection that link to another one, and those of them that the caller may read. */
async function countUsing(ctx: Context, collection: LinkingCollection, link: { to: string; path: string }) {
  const grant = grantFor(ctx.caller, collection)
  const count = (part?: Covered) => countLinking(ctx.db, collection.id, link, { limit: maxCounted + 1, part })
  const all = await count()
  if (all === 0 || grant.read === 'none') return { all, readable: 0 }
  return { all, readable: grant.read === 'all' ? all : await count(partFor(grant, 'read')) }
}

function toJsonPath(path: LinkPath): string {
  return `$${path.map((step) => (step === eachItem ? '[*]' : `.${JSON.stringify(step)}`)).join('')}`
}
