/** Finds the documents that link to a collection that is about to be deleted. Contract 13.3. */
import type { OnDelete, StoredCollection } from '../../../client/protocol/model/collection.js'
import { countLinking, isLinked, type LinkingCollection, selectLinkingCollections } from '../../store/dependants.js'
import { grantFor, partFor } from '../access/grant.js'
import { documentInUse, maxCounted } from '../access/in-use.js'
import type { Context } from '../context.js'
import { eachItem, type LinkPath, listLinkRules } from './link-rules.js'

type Target = Pick<StoredCollection, 'id'>

/**
 * Call it in the transaction of the deletion, after the statement that marked the collection as removed: only a later
 * statement sees the links that others committed before.
 *
 * @throws {SvcError} `DOCUMENT_IN_USE`
 */
export async function requireUnlinked(ctx: Context, target: Target): Promise<void> {
  if (!(await isLinked(ctx.db, ctx.project.id, target.id))) return
  const refusing = await countInAll(
    ctx,
    target,
    await selectLinkingCollections(ctx.db, ctx.project.id),
    (onDelete) => onDelete === 'refuse',
  )
  if (refusing.length === 0) return
  throw documentInUse(refusing.flatMap(({ name, readable }) => (readable > 0 ? [{ name, documents: readable }] : [])))
}

/** Counts the documents whose links would lead nowhere without the collection. The counts end at a limit. */
export async function countLeftLinks(ctx: Context, target: Target): Promise<{ name: string; documents: number }[]> {
  const linking = await selectLinkingCollections(ctx.db, ctx.project.id, target.id)
  const left = await countInAll(ctx, target, linking, (onDelete) => onDelete !== 'refuse')
  return left.map(({ name, all }) => ({ name, documents: Math.min(all, maxCounted) }))
}

/** Counts with one query for each other collection that has such links. Leaves out those without documents. */
async function countInAll(
  ctx: Context,
  target: Target,
  linking: readonly LinkingCollection[],
  isWanted: (onDelete: OnDelete) => boolean,
) {
  const counts: { name: string; all: number; readable: number }[] = []
  for (const collection of linking) {
    const rules = listLinkRules(collection.schema).filter(({ to, onDelete }) => to === target.id && isWanted(onDelete))
    if (rules.length === 0 || collection.id === target.id) continue
    const link = { to: target.id, paths: rules.map(({ path }) => toJsonPath(path)) }
    const part = partFor(grantFor(ctx.caller, collection), 'read')
    const counted = await countLinking(ctx.db, collection.id, link, { limit: maxCounted + 1, part })
    if (counted.all > 0) counts.push({ name: collection.name, ...counted })
  }
  return counts
}

function toJsonPath(path: LinkPath): string {
  return `$${path.map((step) => (step === eachItem ? '[*]' : `.${JSON.stringify(step)}`)).join('')}`
}
