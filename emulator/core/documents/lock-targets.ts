import { isId, type StoredDocument } from '../../../client/protocol/model/document.js'
import type { Grant, Memberships } from '../access/grant.js'
import { findMemberships } from '../access/memberships.js'
import { noSuchDocument } from '../access/missing.js'
import type { Context } from '../context.js'
import { requireCurrentRules } from '../unique-values.js'
import type { Target } from './plan-write.js'

interface Asked<Item> {
  readonly asked: readonly Item[]
  /** Whether ids that no document has are left out. */
  readonly skipsMissing: boolean
}

/**
 * Locks documents until the end of the transaction, and pairs each asked item with its document.
 *
 * @throws {SvcError} `NOT_FOUND` for ids that no document can have
 */
export async function lockTargets<
  Item extends { readonly id: string },
  Locked extends Pick<StoredDocument, 'version' | 'createdBy' | 'data'>,
>(
  ctx: Context,
  grant: Grant,
  { asked, skipsMissing }: Asked<Item>,
  lock: (ids: readonly string[]) => Promise<ReadonlyMap<string, Locked>>,
): Promise<{ targets: (Item & Target<Locked>)[]; memberships: Memberships }> {
  const wanted = skipsMissing ? asked.filter(({ id }) => isId(id)) : asked
  const illFormed = wanted.find(({ id }) => !isId(id))
  if (illFormed) throw noSuchDocument(grant.collection, illFormed.id)
  const ids = wanted.map(({ id }) => id)
  const documents = await lock(ids)
  if (documents.size < new Set(ids).size) await requireCurrentRules(ctx, grant.collection)
  const found = [...documents].map(([id, { data }]) => ({ id, data }))
  const memberships = await findMemberships(ctx.db, grant, found)
  const targets = wanted.map((item) => ({ ...item, before: documents.get(item.id) }))
  return { targets: skipsMissing ? targets.filter(({ before }) => before) : targets, memberships }
}
