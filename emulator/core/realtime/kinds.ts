/** As what a subscription receives a change, if it does: by its filter, and by whose documents the caller may read. */
import type { Schema } from '../../../client/protocol/model/collection.js'
import { parseFields } from '../../../client/protocol/model/document.js'
import type { Path } from '../../../client/protocol/model/path.js'
import type { Where } from '../../../client/protocol/model/where.js'
import type { RecordedDocumentChange } from '../../store/realtime/changes.js'
import { findable } from '../access/findable.js'
import type { Grant } from '../access/grant.js'
import { markTimes } from '../documents/times.js'
import { type Matchable, predicateOf } from './matching.js'

interface Asked {
  readonly where: Where
  /** Whether entering and leaving what is found counts as `created` and `deleted`. Contract 9.3. */
  readonly isLive: boolean
}

/**
 * What was asked for stays; whom it asks for and what permissions open to the caller change, so both are looked at each time:
 * `created_by=me` is whoever asks by then.
 *
 * @throws {SvcError} `INVALID_FILTER`, `UNAUTHORIZED`, `FORBIDDEN`, from what it answers: the answer to a filter depends on both
 */
export function openKinds({ where: asked, isLive }: Asked): (grant: Grant) => Reception {
  let matching: { readonly where: Where; readonly schema: Schema; readonly kindOf: KindOf } | undefined
  return (grant) => {
    const { schema } = grant.collection
    const { where, creator } = findable(grant, asked)
    // All of what was asked, or all but who created a document: as many clauses are the same ones.
    if (matching?.where.all.length !== where.all.length || matching.schema !== schema) {
      const timed = markTimes(where, schema)
      matching = { where: timed, schema, kindOf: (isLive ? liveKind : plainKind)(timed) }
    }
    return {
      kindOf: amongOf(creator, matching.kindOf, isLive),
      open: { where: matching.where, creator, hidden: grant.hidden },
    }
  }
}

/** How a caller receives changes: as what, and of what. */
interface Reception {
  readonly kindOf: KindOf
  readonly open: Open
}

/** What of a collection is open to a caller who asks for it: what a list would find with that filter, without the fields that are hidden. */
interface Open {
  readonly where: Where
  /** Whose documents; undefined for everybody's. */
  readonly creator: string | undefined
  readonly hidden: readonly Path[]
}

export type KindOf = (change: RecordedDocumentChange) => RecordedDocumentChange['kind'] | undefined

/** Of changes, those of documents of one creator; one that was given to another, as a view that shows what matches has to receive it. */
function amongOf(creator: string | undefined, kindOf: KindOf, isLive: boolean): KindOf {
  if (creator === undefined) return kindOf
  return (change) => {
    const is = change.document.createdBy === creator
    const was = change.before ? change.before.createdBy === creator : is
    if (is === was) return is ? kindOf(change) : undefined
    const kind = kindOf(change)
    if (!isLive) return is ? kind : undefined
    // It is or was among those that match as well: a transfer changes nothing of its data.
    return kind && (is ? 'created' : 'deleted')
  }
}

/** Without a filter, as what it is: one function for all. */
const anyKind: KindOf = ({ kind }) => kind

/** A change is published if the document matches as it is now; a deleted one, as it was last. */
function plainKind(where: Where): KindOf {
  if (where.all.length === 0) return anyKind
  const matches = predicateOf(where)
  return (change) => (matches(currentOf(change)) ? change.kind : undefined)
}

/** As a view that shows what matches has to receive it. */
function liveKind(where: Where): KindOf {
  if (where.all.length === 0) return anyKind
  const [matches, plain] = [predicateOf(where), plainKind(where)]
  return (change) => {
    if (!change.before) return plain(change)
    const [was, is] = [matches(formerOf(change, change.before)), matches(currentOf(change))]
    if (was) return is ? 'updated' : 'deleted'
    return is ? 'created' : undefined
  }
}

// Of many subscriptions, the first to look at a change parses it for all.
const currents = new WeakMap<RecordedDocumentChange, Matchable>()
const formers = new WeakMap<RecordedDocumentChange, Matchable>()

function currentOf(change: RecordedDocumentChange): Matchable {
  const { document } = change
  return once(currents, change, () => ({ ...document, data: parseFields(document) }))
}

function formerOf(change: RecordedDocumentChange, before: NonNullable<RecordedDocumentChange['before']>): Matchable {
  return once(formers, change, () => ({ ...change.document, updatedAt: before.updatedAt, data: parseFields(before) }))
}

function once(
  known: WeakMap<RecordedDocumentChange, Matchable>,
  change: RecordedDocumentChange,
  read: () => Matchable,
): Matchable {
  const found = known.get(change) ?? read()
  known.set(change, found)
  return found
}
