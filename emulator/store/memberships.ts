/** Limits queries to the documents that a user created, or that list the user as a member. Contract 13.9. */
import type { Membership } from '../../client/protocol/model/access/member-word.js'
import { type Database, type Fragment, sql } from '../database/port.js'
import { anyOf, isCreatedBy } from './sql-fragments.js'

/** The part of a collection that a permission covers. */
export interface Part {
  /** Whether the documents that the user created are covered. */
  readonly own: boolean
  /** The fields that list the members of covered documents. */
  readonly members: readonly Membership[]
}

/** The part of a collection that a permission covers for a user. */
export interface Covered extends Part {
  readonly user: string
  /** The id of the collection. */
  readonly collection: string
}

/** Whether the document `d` is covered. Without a part, all documents are. */
export function isCovered(part: Covered | undefined): Fragment {
  if (part === undefined) return sql`true`
  return anyOf(Object.values(conditions).flatMap((conditionsFor) => conditionsFor(part)))
}

/** Whether no other documents are covered than those that the user created. */
export function isOfCreatorAlone(part: Covered): boolean {
  const { user: _, collection: __, own, ...others } = part
  return own && Object.values(others).every((more) => more.length === 0)
}

const conditions: { readonly [Name in keyof Part]: (part: Covered) => readonly Fragment[] } = {
  own: ({ own, user }) => (own ? [isCreatedBy(user)] : []),
  members: ({ members, collection, user }) =>
    members.map(({ link, field }) =>
      link === undefined ? lists(sql`d.data`, field, user) : isLinkedMember({ link, field }, collection, user),
    ),
}

/** Written as containment of the whole data, because the index over all data supports it. */
function lists(data: Fragment, field: string, user: string): Fragment {
  return anyOf([user, [user]].map((value) => sql`${data} @> ${JSON.stringify({ [field]: value })}::jsonb`))
}

/** The condition depends on `d` only through the link, so that PostgreSQL can find the user's linked documents once. */
function isLinkedMember(
  { link, field }: { readonly link: string; readonly field: string },
  collection: string,
  user: string,
): Fragment {
  return sql`exists (
    select from documents m
    ${linkedFrom(sql`${collection}::uuid`, sql`${link}::text`)}
    where m.id = (case when jsonb_typeof(d.data -> ${link}::text) = 'string'
        then (svc.record_ids(d.data -> ${link}::text))[1] end)
      and ${lists(sql`m.data`, field, user)})`
}

/** Only documents of the same project count, and only those of the collection that the schema names for the link. */
function linkedFrom(collection: Fragment, link: Fragment): Fragment {
  return sql`join collections c on c.id = m.collection_id
    join collections h on h.id = ${collection} and h.project_id = c.project_id
      and svc.links_to(h.schema #>> array[${link}, 'to'], c.id, c.name)`
}

/** The members as an array. A single id counts like an array with it. */
function arrayIn(value: Fragment): Fragment {
  return sql`case jsonb_typeof(${value})
      when 'array' then ${value} when 'string' then jsonb_build_array(${value}) else '[]' end`
}

/** Counts the documents of a collection that are covered. */
export async function selectCoveredCount(db: Database, part: Covered): Promise<number> {
  const [row] = await db.query<{ documents: number }>(sql`
    select count(*) as documents
    from documents d
    where d.collection_id = ${part.collection}::uuid and ${isCovered(part)}`)
  return row?.documents ?? 0
}

/** A document that a link field names, and its field that lists the members. */
export interface LinkedDocument {
  readonly link: string
  readonly field: string
  readonly id: string
}

export function nameLink({ link, field, id }: LinkedDocument): string {
  return JSON.stringify([link, field, id])
}

/** Returns for each of the linked documents which of the users it lists. */
export async function selectLinkedMembers(
  db: Database,
  collection: string,
  linked: readonly LinkedDocument[],
  users: readonly string[],
): Promise<readonly (LinkedDocument & { readonly user: string })[]> {
  if (linked.length === 0 || users.length === 0) return []
  return db.query<LinkedDocument & { user: string }>(sql`
    select wanted.link, wanted.field, m.id, listed.id as user
    from unnest(
      ${linked.map(({ link }) => link)}::text[],
      ${linked.map(({ field }) => field)}::text[],
      ${linked.map(({ id }) => id)}::uuid[]
    ) as wanted (link, field, id)
    join documents m on m.id = wanted.id
    ${linkedFrom(sql`${collection}::uuid`, sql`wanted.link`)}
    cross join lateral jsonb_array_elements_text(${arrayIn(sql`m.data -> wanted.field`)}) as listed (id)
    join unnest(${users}::text[]) as users (id) on users.id = listed.id`)
}
