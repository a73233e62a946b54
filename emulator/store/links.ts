/** Locks linked records while documents that link to them are written. Contract 13.2. */
import { usersWord } from '../../client/protocol/model/collection.js'
import { type Database, type Fragment, identifier, joinSql, nothing, sql } from '../database/port.js'
import { type Covered, isCovered } from './memberships.js'
import { isOneOf } from './sql-fragments.js'

/** A record that a document links to, and the part of its collection that the writer may read. */
export interface Link {
  /** Id of the collection, or `users`. */
  readonly to: string
  readonly id: string
  /** The documents of the collection that the writer may read; undefined for all. */
  readonly part?: Covered | undefined
}

/**
 * Locks linked records until the end of the transaction, so that a deletion waits. Changes of other fields do not wait.
 * `areThere` is whether all exist. Without links, both are empty. Where transactions run one after the other, nothing has
 * to wait, and a lock would only write to the record.
 */
export function lockingLinks(
  { capabilities }: Database,
  project: string,
  links: readonly Link[],
): { locking: Fragment; areThere: Fragment } {
  if (links.length === 0) return { locking: nothing, areThere: nothing }
  const parts = lockedParts(project, uniqueLinks(links))
  if (!capabilities.runsTransactionsTogether) {
    const areThere = parts.map(({ found, count }) => sql`and (select count(*) from (${found}) linked) = ${count}::int`)
    return { locking: nothing, areThere: joinSql(areThere, ' ') }
  }
  const locking = parts.map(({ name, found, lock }) => sql`${name} as materialized (${found} ${lock}), `)
  const areThere = parts.map(({ name, count }) => sql`and (select count(*) from ${name}) = ${count}::int`)
  return { locking: joinSql(locking, ''), areThere: joinSql(areThere, ' ') }
}

/** Locks the existing records among the linked ones. Returns the key of each. */
export async function lockLinked(tx: Database, project: string, links: readonly Link[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { found: existing, lock } of lockedParts(project, uniqueLinks(links))) {
    const rows = await tx.query<{ linked_to: string; id: string }>(sql`${existing} ${lock}`)
    for (const { linked_to: to, id } of rows) found.add(linkKey({ to, id }))
  }
  return found
}

/** Returns which of these records exist. Locks nothing. */
export async function selectLinked(
  db: Database,
  project: string,
  to: string,
  ids: readonly string[],
): Promise<string[]> {
  const found =
    to === usersWord
      ? sql`select u.id from users u where u.project_id = ${project} and u.id = any(${ids}::uuid[])`
      : sql`
      select d.id
      from documents d
      join document_counts n on n.collection_id = d.collection_id and not n.is_removed
      where d.collection_id = ${to}::uuid and d.id = any(${ids}::uuid[])`
  return (await db.query<{ id: string }>(found)).map(({ id }) => id)
}

export function linkKey({ to, id }: Pick<Link, 'to' | 'id'>): string {
  return `${to}/${id}`
}

function uniqueLinks(links: readonly Link[]): Link[] {
  return [...new Map(links.map((link) => [`${readerKey(link)}/${link.id}`, link])).values()]
}

/** Locks the documents of one collection after the other, and then the users, each in order of their ids. */
function lockedParts(project: string, links: readonly Link[]) {
  const groups = new Map<string, Link[]>()
  // A group of creates has the links of several users, who may read different parts.
  for (const link of links) addTo(groups, readerKey(link), link)
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, linked], at) => {
      const [{ to, part } = { to: usersWord, part: undefined }] = linked
      const ids = linked.map(({ id }) => id)
      const found = to === usersWord ? usersWith(project, ids) : documentsWith(to, ids, part)
      // Locks the count too, as a removal of the collection does.
      const lock = to === usersWord ? sql`order by u.id for key share` : sql`order by d.id for key share of d, n`
      return { name: identifier(`linked_${at}`), count: ids.length, found, lock }
    })
}

function addTo(groups: Map<string, Link[]>, key: string, link: Link): void {
  const group = groups.get(key)
  if (group) group.push(link)
  else groups.set(key, [link])
}

/** Identifies the records that a link can lead to. */
function readerKey({ to, part }: Link): string {
  return part ? `${to}/${JSON.stringify(part)}` : to
}

function documentsWith(collection: string, ids: readonly string[], part: Covered | undefined): Fragment {
  return sql`
      select d.collection_id::text as linked_to, d.id
      from documents d
      join document_counts n on n.collection_id = d.collection_id and not n.is_removed
      where d.collection_id = ${collection}::uuid and ${isOneOf(ids)} and ${isCovered(part)}`
}

function usersWith(project: string, ids: readonly string[]): Fragment {
  const [id, another] = ids
  const isOne = id !== undefined && another === undefined ? sql`u.id = ${id}::uuid` : sql`u.id = any(${ids}::uuid[])`
  return sql`
      select ${usersWord}::text as linked_to, u.id from users u
      where ${isOne} and u.project_id = ${project}`
}

/** The condition of the index `collections_with_on_delete`. Nearly all projects have no such collection. */
export const hasOnDelete = sql`c.schema::text like '%"onDelete"%'`

/**
 * Whether the schema of a collection may link here with `onDelete`. The text of a schema may contain the id elsewhere,
 * so readers look again.
 *
 * @param to id of a collection, or `users`
 */
export function isLinkedFrom(project: string, to: string): Fragment {
  return sql`exists (
    select from collections c
    where c.project_id = ${project} and ${hasOnDelete} and c.schema::text like ${`%"${to}"%`}
  )`
}
