/** The steps that every executor of a write shares: publish and answer. */
import type { StoredDocument } from '../../../client/protocol/model/document.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import type { Message } from '../../ports/bus/port.js'
import { insertDocuments, type NewData, type WriteTarget, type Written } from '../../store/documents.js'
import { visibleTo } from '../access/closed-fields.js'
import { allows, type Grant } from '../access/grant.js'
import { findMemberships } from '../access/memberships.js'
import type { Context } from '../context.js'
import { refusingDuplicates } from '../unique-values.js'
import { publishing } from '../unit-of-work.js'

/** Returns written documents without hidden fields, and empty ones to a caller who cannot read them. Contract 5.3. */
export async function shownTo(
  { db }: Pick<Context, 'db'>,
  grant: Grant,
  documents: readonly StoredDocument[],
): Promise<StoredDocument[]> {
  const visible = await visibleTo(grant, documents)
  if (grant.read === 'all') return [...visible]
  const memberships = await findMemberships(db, grant, documents)
  return visible.map((document) =>
    allows(grant, 'read', document, memberships) ? document : { ...document, data: new JsonText('{}') },
  )
}

/** Publishes the changes that a write recorded. Publishes none if the write did not apply. */
export function publishRecorded<Recorded extends Pick<Written, 'seq'>>(ctx: Context, write: () => Promise<Recorded>) {
  const project = ctx.project.id
  const toMessage = (recorded?: Recorded): Message | undefined => {
    if (recorded && recorded.seq === null) return undefined
    return { kind: 'changes', project, seq: typeof recorded?.seq === 'number' ? recorded.seq : null }
  }
  return publishing(ctx, toMessage, write)
}

export function place(ctx: Context, collection: WriteTarget['collection'], now: Date): WriteTarget {
  return { project: ctx.project.id, collection, at: now.toISOString() }
}

/**
 * Inserts documents with their unique values in one statement. Returns none if the collection is gone or has other rules.
 *
 * @throws {SvcError} `DUPLICATE_VALUE`
 */
export async function insertRows(ctx: Context, here: WriteTarget, rows: readonly NewData[]): Promise<StoredDocument[]> {
  const claimed = rows.flatMap(({ claims = [] }, at) => claims.map((claim) => ({ ...claim, at })))
  const { documents } = await refusingDuplicates(
    here.collection,
    claimed,
    ({ at }) => (rows.length > 1 ? [at] : []),
    () => publishRecorded(ctx, () => insertDocuments(ctx.db, here, rows)),
  )
  return documents
}
