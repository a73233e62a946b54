import type { Fields, StoredDocument } from '../../../client/protocol/model/document.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import type { NewData } from '../../store/documents.js'
import { type Grant, requireCreatable } from '../access/grant.js'
import { findMemberships } from '../access/memberships.js'
import { noSuchCollection } from '../access/missing.js'
import { requireCreateGrant } from '../collections/collections.js'
import type { Context } from '../context.js'
import { requireCurrentRules, requireDistinct, withCurrentRules } from '../unique-values.js'
import { planCreates } from './plan-write.js'
import { insertRows, place, shownTo } from './writing.js'

/**
 * Creates all documents or none, in the given order. Contract 3.6.
 *
 * @throws {SvcError} `VALIDATION_ERROR`. With several documents, the path of each issue begins with the index of the document.
 */
export function createDocuments(ctx: Context, name: string, many: readonly Fields[]): Promise<StoredDocument[]> {
  return withCurrentRules(ctx, () => createAsKnown(ctx, name, many))
}

async function createAsKnown(ctx: Context, name: string, many: readonly Fields[]): Promise<StoredDocument[]> {
  const grant = await requireCreateGrant(ctx, name)
  const { collection } = grant
  const { texts, links } = await planCreates(grant, many)
  if (grant.create !== 'all') await requireMember(ctx, grant, texts)
  const linked = await links.resolve(ctx)
  const createdBy = ctx.caller.user?.id
  // Puts the new property first: after a spread, V8 takes ten times as long to add it.
  const owned = texts.map((text, at) => ({ createdBy, links: linked[at], ...text }))
  const [first] = owned
  if (!first) return []
  requireDistinct(collection, owned)
  async function write(texts: readonly Omit<NewData, 'id'>[]) {
    const now = ctx.backend.now(ctx.project.id)
    const rows = texts.map((text) => ({ id: ctx.backend.newId(now), ...text }))
    const documents = await insertRows(ctx, place(ctx, collection, now), rows)
    if (documents.length > 0 || linked.length === 0) return documents
    // Fails a group of requests, so that each is written alone and learns about its own links.
    if (texts.length > owned.length) throw new Error('A linked record of a group is missing.')
    await links.require(ctx)
    return documents
  }
  const isJoined = owned.length === 1 && !ctx.pending && ctx.db.capabilities.isDurable
  const documents = isJoined
    ? await ctx.backend.joinedCreates.insert({ db: ctx.db, collection: collection.id }, first, write)
    : await write(owned)
  // The collection was removed after it was looked up, or has other rules.
  if (documents.length === 0) {
    await requireCurrentRules(ctx, collection)
    throw noSuchCollection(name)
  }
  return shownTo(ctx, grant, documents)
}

/** Checks the permission to create by the values that are written, with defaults. @throws {SvcError} `FORBIDDEN` */
async function requireMember({ db }: Context, grant: Grant, texts: readonly Omit<NewData, 'id'>[]): Promise<void> {
  const documents = texts.map(({ json }, at) => ({ id: String(at), data: new JsonText(json) }))
  const ids = documents.map(({ id }) => id)
  requireCreatable(grant, ids, await findMemberships(db, grant, documents))
}
