/** Checks the links of written documents: each must lead to a record that the caller may read. Contract 13.2. */
import { type Schema, type StoredCollection, usersWord } from '../../../client/protocol/model/collection.js'
import { type Fields, isId } from '../../../client/protocol/model/document.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { overlap, type Path } from '../../../client/protocol/model/path.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { type Link, linkKey, lockLinked } from '../../store/links.js'
import { grantFor, partFor } from '../access/grant.js'
import { mayReadUsers } from '../access/scopes.js'
import { findCollection } from '../collections/collections.js'
import { listLinkedIds, listLinkRules, type PlacedId } from '../collections/link-rules.js'
import type { Context } from '../context.js'
import { schemaRefuses } from './check-and-serialize.js'

/** Chosen by us: the most different records that one write can link to. One statement locks all of them. */
const maxLinks = 10_000

/** Collects the links of the documents of one write, in the order in which they are noted. */
export interface NewLinks {
  /**
   * Notes the links of a document that are not in its data before. Of a caller who cannot read it, notes all that are sent, at
   * their places in the request. Returns the data.
   */
  note(after: Fields, readBefore?: () => Fields, readSent?: () => Fields): Fields
  /** The number of different linked records so far. */
  readonly found: number
  /** Resolves the links of each document. Empty if the schema has none. @throws {SvcError} `VALIDATION_ERROR` */
  resolve(ctx: Context): Promise<readonly (readonly Link[])[]>
  /** Locks the linked records until the end of the transaction. @throws {SvcError} `VALIDATION_ERROR` if one is missing */
  require(ctx: Context): Promise<void>
}

const noLinks: NewLinks = {
  note: (after) => after,
  found: 0,
  resolve: () => Promise.resolve([]),
  require: () => Promise.resolve(),
}

/**
 * @param count the number of documents in the write
 * @param hidden fields that the caller may not see, whose defaults an error must not name
 */
export function collectLinks(
  { name, schema }: { name: string; schema: Schema },
  count: number,
  hidden: readonly Path[] = [],
): NewLinks {
  const rules = listLinkRules(schema)
  if (rules.length === 0) return noLinks
  const documents: PlacedId[][] = []
  /** For each document, the links to records that no earlier link leads to, which are far fewer in long lists. */
  const first: PlacedId[][] = []
  const different = new Set<string>()

  function note(after: Fields, readBefore?: () => Fields, readSent?: () => Fields): Fields {
    const links = listLinkedIds(rules, after)
    const sent = readSent ? listLinkedIds(rules, readSent()) : []
    const before = readBefore && links.length > 0 ? listLinkedIds(rules, readBefore()) : []
    const known = new Set([...before, ...sent].map(keyInField))
    const fresh = known.size === 0 ? links : [...sent, ...links.filter((link) => !known.has(keyInField(link)))]
    documents.push(fresh)
    first.push(fresh.filter(isFirst))
    if (different.size > maxLinks) throw tooManyLinks(different.size)
    return after
  }

  function isFirst(link: PlacedId): boolean {
    const known = different.size
    return different.add(linkKey(link)).size > known
  }

  async function resolve(ctx: Context): Promise<Link[][]> {
    const readers = await findReaders(ctx, new Set(first.flat().map(({ to }) => to)))
    const unread = first.flat().some(({ to, id }) => !isId(id) || !readers.has(to))
    if (unread) await require(ctx)
    return first.map((links) => links.map(({ to, id }) => ({ to, id, ...readers.get(to) })))
  }

  async function require(ctx: Context): Promise<void> {
    const readers = await findReaders(ctx, new Set(first.flat().map(({ to }) => to)))
    const readable = first.flat().flatMap(({ to, id }) => {
      const reader = readers.get(to)
      return reader && isId(id) ? [{ to, id, ...reader }] : []
    })
    const found = await lockLinked(ctx.db, ctx.project.id, readable)
    if (found.size === different.size) return
    const issues: Issue[] = []
    for (const [at, links] of documents.entries()) {
      const missing = links.filter((link) => !found.has(linkKey(link))).slice(0, sizes.maxIssues - issues.length)
      const isHidden = ({ path }: PlacedId) => hidden.some((field) => overlap(field, asPath(path)))
      issues.push(
        ...missing.map((link) => {
          const path = count > 1 ? [at, ...link.path] : link.path
          return isHidden(link) ? missingHidden(path) : missingLink(path, link.id)
        }),
      )
    }
    if (issues.length > 0) throw schemaRefuses(name, issues)
  }

  return {
    note,
    resolve,
    require,
    get found() {
      return different.size
    },
  }
}

/** Identifies a link by its field, wherever it is in an array. */
function keyInField({ path, id }: PlacedId): string {
  return JSON.stringify([...path.map((part) => (typeof part === 'number' ? null : part)), id])
}

/** The part of a collection, or of the users, that the caller may read. */
type Reader = Pick<Link, 'part'>

/** Finds the linked collections, unless the caller may read nothing there. */
async function findReaders(ctx: Context, targets: ReadonlySet<string>): Promise<ReadonlyMap<string, Reader>> {
  const readers = new Map<string, Reader>()
  for (const to of targets) {
    const reader = to === usersWord ? readerOfUsers(ctx) : readerIn(ctx, await findCollection(ctx, to))
    if (reader) readers.set(to, reader)
  }
  return readers
}

function readerOfUsers({ caller }: Context): Reader | undefined {
  return mayReadUsers(caller) ? {} : undefined
}

function readerIn({ caller }: Context, collection: StoredCollection | undefined): Reader | undefined {
  if (!collection) return undefined
  const grant = grantFor(caller, collection)
  return grant.read === 'none' ? undefined : { part: partFor(grant, 'read') }
}

/** Says the same about a record that is missing and one that is hidden. */
export function missingLink(path: Issue['path'], id: string): Issue {
  const field = path.findLast((part) => typeof part === 'string')
  return { path, message: `"${field}" links to "${id.slice(0, 80)}", which does not exist`, type: 'link' }
}

/** The id may come from a default that the caller may not see. */
function missingHidden(path: Issue['path']): Issue {
  return { path, message: 'links to a record that does not exist', type: 'link' }
}

function asPath(path: PlacedId['path']): Path {
  const [field = '', ...deeper] = path.map(String)
  return [field, ...deeper]
}

function tooManyLinks(actual: number): SvcError {
  const reason: Reason = { kind: 'limit', limit: 'linked records', most: maxLinks, actual }
  const message = `A request can link to at most ${formatCount(maxLinks)} different records. Send fewer documents.`
  return new SvcError('VALIDATION_ERROR', message, [], { reason })
}
