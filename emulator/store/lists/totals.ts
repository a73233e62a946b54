/** Counts the documents of lists. Caches the totals of filters until the collection changes. */
import type { ListQuery } from '../../../client/protocol/model/page.js'
import { type Fragment, sql } from '../../database/port.js'
import { pendingDocuments } from '../sequencer/sequencer.js'

/** A total, and the number of the project's last change when it was counted. */
export interface CountedTotal {
  readonly total: number
  readonly seq: number
}

/** Caches totals counted outside of transactions. Each list checks in the database whether its total is still valid. */
export interface Totals {
  get(key: string): CountedTotal | undefined
  keep(key: string, counted: CountedTotal): void
}

const maxTotals = 1_000
const maxKeyCharacters = 2_000

export function openTotals(): Totals {
  const kept = new Map<string, CountedTotal>()
  return {
    get: (key) => kept.get(key),
    keep(key, counted) {
      if (key.length > maxKeyCharacters) return
      // Moves the key to the end, so that the least recently stored one is removed first.
      kept.delete(key)
      kept.set(key, counted)
      const [oldest] = kept.keys()
      if (kept.size > maxTotals && oldest !== undefined) kept.delete(oldest)
    },
  }
}

/** The number of the last change that the statement sees. Changes that wait for their number get a later one. */
export function lastSeq(project: string): Fragment {
  return sql`(select last_seq from sequences where project_id = ${project})`
}

function noTotal(project: string): Fragment {
  return sql`select null::int as total, ${lastSeq(project)} as seq`
}

/** Without a filter, the collection's count is the total. */
export function collectionTotal({ project, collection }: Counting['scope'], isWanted: boolean): Fragment {
  if (!isWanted) return noTotal(project)
  return sql`
      select c.documents + ${pendingDocuments(sql`${project}`, sql`${collection}::uuid`)} as total, ${lastSeq(project)} as seq
      from document_counts c
      where c.collection_id = ${collection}::uuid`
}

interface Counting {
  readonly query: Pick<ListQuery, 'count'>
  readonly scope: { readonly project: string; readonly collection: string }
  readonly remembered: CountedTotal | undefined
}

/** Counts only if the cached total is no longer valid. */
export function matchTotal({ query, scope, remembered }: Counting, count: Fragment): Fragment {
  if (!query.count) return noTotal(scope.project)
  const total = remembered
    ? sql`case when ${isUnchanged(scope, remembered)} then ${remembered.total}::int else ${count} end`
    : count
  return sql`select ${total} as total, ${lastSeq(scope.project)} as seq`
}

/** Limits the changes to check; beyond that, counting is as fast. */
const maxChanges = 1_000

/**
 * Changes are numbered in commit order without gaps, so the number identifies a state of the database. If later changes
 * have been trimmed, or the numbers started over, there are fewer changes than numbers. Changes that wait for their
 * number count too.
 */
export function isUnchanged({ project, collection }: Counting['scope'], { seq }: CountedTotal): Fragment {
  return sql`(
      select ${lastSeq(project)} - ${seq}::bigint = count(*)
        and coalesce(bool_and(c.collection_id <> ${collection}::uuid), true)
      from (
        select collection_id from changes where project_id = ${project} and seq > ${seq}::bigint limit ${maxChanges}
      ) as c
    ) and not exists (
      select from pending_changes where project_id = ${project} and collection_id = ${collection}::uuid
    )`
}
