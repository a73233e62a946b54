/**
 * Decides whether a subscription receives a change and as which kind, from its filter and the documents that the caller may
 * read.
 */
import type { Schema } from '../../../client/protocol/model/collection.js'
import { isId } from '../../../client/protocol/model/document.js'
import { readField } from '../../../client/protocol/model/json.js'
import type { Matchable } from '../../../client/protocol/model/matching.js'
import type { Path } from '../../../client/protocol/model/path.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { type Covered, nameLink, type Part } from '../../store/memberships.js'
import type { RecordedDocumentChange } from '../../store/realtime/changes.js'
import { findable } from '../access/findable.js'
import type { Grant } from '../access/grant.js'
import { requireTimes } from '../documents/door.js'
import { parseCurrent, parseFormer } from './changed-documents.js'
import { compileFilter } from './matching.js'
import type { LinkedMembers } from './watched.js'

interface KindOptions {
  readonly where: Where
  /** Whether entering and leaving the filter counts as `created` and `deleted`. Contract 9.3. */
  readonly isLive: boolean
}

/**
 * Returns a function from the caller's grant to the changes that a subscription receives. Checks the grant each time, because
 * permissions change and `created_by=me` depends on the caller.
 *
 * @throws {SvcError} `INVALID_FILTER`, `UNAUTHORIZED`, `FORBIDDEN`, from the returned function
 */
export function openKinds({ where: filter, isLive }: KindOptions): (grant: Grant) => Reception {
  let matching: { readonly where: Where; readonly schema: Schema; readonly kindOf: KindOf } | undefined
  return (grant) => {
    const { schema } = grant.collection
    const { where, creator, part } = findable(grant, filter)
    // Compares lengths, because permissions only ever drop the clauses about the creator.
    if (matching?.where.all.length !== where.all.length || matching.schema !== schema) {
      const timed = requireTimes(where, schema)
      matching = { where: timed, schema, kindOf: (isLive ? liveKind : plainKind)(timed) }
    }
    const covers = part && compileCover(part)
    const ofCreator = limitToCreator(creator, matching.kindOf, isLive)
    return {
      kindOf: covers ? limitToPart(covers, ofCreator, isLive) : ofCreator,
      mayShow: covers ? (change, links) => covers(parseCurrent(change), change.document.createdBy, links) : () => true,
      open: { where: matching.where, creator, part, hidden: grant.hidden },
    }
  }
}

/** How a caller receives changes, and from which documents. */
export interface Reception {
  readonly kindOf: KindOf
  /** Whether the caller may see the document after the change. Otherwise the change only takes it away. */
  readonly mayShow: (change: RecordedDocumentChange, links: LinkedMembers) => boolean
  readonly open: Open
}

/** The part of a collection that a caller's list with the same filter would return, without hidden fields. */
interface Open {
  readonly where: Where
  /** The only creator whose documents count; undefined for all. */
  readonly creator: string | undefined
  /** The part that the permission covers; undefined for all. */
  readonly part: Covered | undefined
  readonly hidden: readonly Path[]
}

export type KindOf = (
  change: RecordedDocumentChange,
  links: LinkedMembers,
) => RecordedDocumentChange['kind'] | undefined

type Cover = (document: Matchable, createdBy: string | null, links: LinkedMembers) => boolean

/** Compiles the condition that a permission covers a document. */
function compileCover(part: Covered): Cover {
  const conditions = Object.values(covers).flatMap((coversFor) => coversFor(part))
  return (document, createdBy, links) => conditions.some((holds) => holds(document, createdBy, links))
}

const covers: { readonly [Name in keyof Part]: (part: Covered) => readonly Cover[] } = {
  own: ({ own, user }) => (own ? [(_, createdBy) => createdBy === user] : []),
  members: ({ members, user }) =>
    members.map(({ link, field }) => {
      if (link !== undefined) return (document, _, links) => isLinkedMember(document, { link, field, user }, links)
      return compileFilter({ all: [{ any: [{ path: [field], operator: 'eq', value: user }] }] })
    }),
}

function isLinkedMember(
  { data }: Matchable,
  { link, field, user }: { link: string; field: string; user: string },
  links: LinkedMembers,
): boolean {
  const id = readField(data, link)
  return typeof id === 'string' && isId(id) && links.get(nameLink({ link, field, id }))?.has(user) === true
}

type Kind = RecordedDocumentChange['kind'] | undefined

/** The kinds of a change by which a document enters or leaves the part, by its kind for the filter alone. */
const crossings = {
  entering: { created: 'created', updated: 'created', deleted: undefined },
  leaving: { created: undefined, updated: 'deleted', deleted: 'deleted' },
} as const satisfies Record<string, Record<RecordedDocumentChange['kind'], Kind>>

/** Keeps only changes of the documents that a permission covers. A live view sees them enter and leave. */
function limitToPart(covers: Cover, kindOf: KindOf, isLive: boolean): KindOf {
  return (change, links) => {
    const { is, was } = findCover(covers, change, links)
    if (!is && !was) return undefined
    const kind = kindOf(change, links)
    if (kind === undefined || (is && was)) return kind
    if (isLive) return crossings[is ? 'entering' : 'leaving'][kind]
    return is ? kind : undefined
  }
}

/** Returns whether the permission covers the document after the change, and whether it did before. */
function findCover(covers: Cover, change: RecordedDocumentChange, links: LinkedMembers) {
  const { document, before } = change
  const is = covers(parseCurrent(change), document.createdBy, links)
  const was = before ? covers(parseFormer(change, before), before.createdBy, links) : is
  return { is, was }
}

/** Keeps only changes of one creator's documents. A transfer becomes `created` or `deleted` for a live view. */
function limitToCreator(creator: string | undefined, kindOf: KindOf, isLive: boolean): KindOf {
  if (creator === undefined) return kindOf
  return (change, links) => {
    const is = change.document.createdBy === creator
    const was = change.before ? change.before.createdBy === creator : is
    if (is === was) return is ? kindOf(change, links) : undefined
    const kind = kindOf(change, links)
    if (!isLive) return is ? kind : undefined
    // A transfer leaves the data unchanged, so the document matched before if it matches now.
    return kind && (is ? 'created' : 'deleted')
  }
}

const noLinks: LinkedMembers = new Map()

/** One shared function for all subscriptions without a filter. */
const anyKind: KindOf = ({ kind }) => kind

/** Matches a change by the document after it, or by its last state if it was deleted. */
function plainKind(where: Where): KindOf {
  if (where.all.length === 0) return anyKind
  const matches = compileFilter(where)
  return (change) => (matches(parseCurrent(change)) ? change.kind : undefined)
}

/** Returns the kind of change for a view that shows the matching documents. */
function liveKind(where: Where): KindOf {
  if (where.all.length === 0) return anyKind
  const [matches, plain] = [compileFilter(where), plainKind(where)]
  return (change) => {
    if (!change.before) return plain(change, noLinks)
    const [was, is] = [matches(parseFormer(change, change.before)), matches(parseCurrent(change))]
    if (was) return is ? 'updated' : 'deleted'
    return is ? 'created' : undefined
  }
}
