/** The linked documents on which a subscription's permission depends. Contract 13.9. */
import type { Membership } from '../../../client/protocol/model/access/member-word.js'
import type { Covered, LinkedDocument } from '../../store/memberships.js'

/** The members of linked documents, by the name of the link. Contains only users with subscriptions. */
export type LinkedMembers = ReadonlyMap<string, ReadonlySet<string>>

/** The links on which a subscription's permission depends. */
export interface Watched {
  readonly user: string
  readonly links: readonly Link[]
}

export type Link = Pick<LinkedDocument, 'link' | 'field'>

export function watchedBy(part: Covered | undefined): Watched | undefined {
  const links = linksIn(part?.members ?? [])
  return part && links.length > 0 ? { user: part.user, links } : undefined
}

function linksIn(members: readonly Membership[]): readonly Link[] {
  return members.flatMap(({ link, field }) => (link === undefined ? [] : [{ link, field }]))
}
