/**
 * Counts documents, records changes, and gives the changes of a project their numbers: in commit order, without gaps.
 * How depends on whether transactions run together, so each kind of database has an adapter.
 */
import type { Change } from '../../../client/protocol/model/change.js'
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import type { Database, Fragment } from '../../database/port.js'

/** The newest recorded number: `later` if it is assigned after the commit, null if nothing was recorded. */
export type RecordedSeq = number | 'later' | null

/** The project, collection and time of a write. */
export interface WriteTarget {
  readonly project: string
  readonly collection: Pick<StoredCollection, 'id' | 'name' | 'schema' | 'unique'>
  readonly at: string
}

/** Parts of a statement: the recording, and an expression for its `RecordedSeq`. */
export interface Recording {
  readonly recording: Fragment
  readonly seq: Fragment
}

export interface Insertion {
  /** The number of documents in `fresh`. */
  readonly count: number
  /** Begins with `and`, or is empty. Nothing is inserted where it is false. */
  readonly condition: Fragment
  /** Contains the documents `inGroups`, if they share their copies. */
  readonly groups?: Fragment | undefined
}

/** Changes of documents: a row of `affected` for each, with id, version, data, creator, and the previous data and time. */
export interface Affected {
  readonly kind: Change['kind']
  readonly affected: Fragment
  readonly count: number
  /** Is evaluated, and what it reads is locked, before the number is drawn. Default: true. */
  readonly condition?: Fragment
  /** The previous creator, if changed. */
  readonly formerCreator?: Fragment
}

interface CollectionTarget {
  readonly project: string
  readonly collection: string
  readonly at: string
  readonly kind: 'collection' | 'reset'
}

/** All writers lock documents, then counts, then the numbers, which avoids deadlocks. */
export interface Sequencer {
  /** Whether small documents that are created together share their copies, which have to be numbered in a row. */
  readonly sharesCopies: boolean
  /** Returns parts that count and record an insertion. `counted` holds the row of an open collection. */
  recordInsertion(target: WriteTarget, insertion: Insertion): Recording & { readonly counted: Fragment }
  /** Returns parts that record changes. */
  recordChanges(target: WriteTarget, affected: Affected): Recording
  /** Returns parts that record the deletion of each row of `deleted`, and subtract them from the count. */
  recordDeletion(target: WriteTarget, count: number): Recording
  /**
   * Records that a collection has changed, or was replaced by another of the same name, in the same transaction. Returns
   * the number of the change if it has one before the commit.
   */
  recordCollection(tx: Database, target: CollectionTarget): Promise<number | null>
  /** Numbers all committed changes of a project. Waits a while if another transaction is doing that. */
  number(db: Database, project: string): Promise<void>
  /** Numbers changes in a transaction that blocks writers, so that its own changes come after all of theirs. */
  numberFirst(tx: Database, project: string): Promise<void>
  /** Numbers the changes of all projects. */
  numberAll(db: Database): Promise<void>
}
