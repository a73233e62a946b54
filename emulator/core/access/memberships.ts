/** Finds out in which documents the caller is a member. Contract 13.9. */
import { listsUser, type Membership } from '../../../client/protocol/model/access/member-word.js'
import { permissionKinds } from '../../../client/protocol/model/collection.js'
import { type Fields, isId } from '../../../client/protocol/model/document.js'
import { type JsonText, readField } from '../../../client/protocol/model/json.js'
import type { Database } from '../../database/port.js'
import { type LinkedDocument, nameLink, selectLinkedMembers } from '../../store/memberships.js'
import { openPauses } from '../pauses.js'
import { type Grant, type Memberships, noMemberships } from './grant.js'

/** A document or only its fields that permissions name. New documents can have any id. */
interface Holder {
  readonly id: string
  readonly data: JsonText
}

type Granted = Omit<Grant, 'collection'>

/** Returns the fields that list members in any permission of the grant. */
export function membershipsIn(grant: Granted): readonly Membership[] {
  const parts = permissionKinds.flatMap((kind) => {
    const reach = grant[kind]
    return typeof reach === 'string' ? [] : reach.members
  })
  return [...new Map(parts.map((member) => [member.path, member])).values()]
}

/** Returns the names of the fields that decide whether the caller is a member of a document. */
export function memberFields(grant: Granted): readonly string[] {
  return [...new Set(membershipsIn(grant).map(({ link, field }) => link ?? field))]
}

/**
 * Finds the caller's memberships in documents of one collection, before `allows` checks permissions. Looks up all linked
 * documents in one query, and reads nothing if no permission names members.
 */
export async function findMemberships(
  db: Database,
  grant: Granted & { readonly collection: { readonly id: string } },
  documents: readonly Holder[],
): Promise<Memberships> {
  const { user } = grant.caller
  const members = membershipsIn(grant)
  if (!user || members.length === 0) return noMemberships
  const held = new Map<string, Set<string>>()
  const links = new Map<string, Link>()
  const pauses = openPauses()
  for (const { id, data } of documents) {
    const paths = new Set<string>()
    held.set(id, paths)
    collect(data.toJSON() as Fields, members, user.id, { paths, links })
    const pause = pauses.after(data.text.length)
    if (pause) await pause
  }
  for (const linked of await selectLinkedMembers(db, grant.collection.id, [...links.values()], [user.id])) {
    for (const holder of links.get(nameLink(linked))?.holders ?? []) holder.add(`${linked.link}.${linked.field}`)
  }
  return held
}

/** A linked document, and the paths held in each document that links to it. */
interface Link extends LinkedDocument {
  readonly holders: Set<string>[]
}

function collect(
  fields: Fields,
  members: readonly Membership[],
  user: string,
  { paths, links }: { readonly paths: Set<string>; readonly links: Map<string, Link> },
): void {
  for (const { path, link, field } of members) {
    const value = readField(fields, link ?? field)
    if (link === undefined) {
      if (listsUser(value, user)) paths.add(path)
    } else if (typeof value === 'string' && isId(value)) {
      const linked = { link, field, id: value }
      const name = nameLink(linked)
      const known = links.get(name) ?? { ...linked, holders: [] }
      known.holders.push(paths)
      links.set(name, known)
    }
  }
}
