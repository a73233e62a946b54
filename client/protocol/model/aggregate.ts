import type { JsonText } from './json.js'
import type { ListQuery } from './page.js'

/** Operations over the numbers in a field. `count` counts the documents whose field is not null. Contract 13.7. */
export const aggregateOperations = ['count', 'sum', 'avg', 'min', 'max'] as const
export type AggregateOperation = (typeof aggregateOperations)[number]

/** Selects documents by the filters of a list. */
export type MatchQuery = Pick<ListQuery, 'where' | 'populate' | 'links'>

/** `field` is the dotted name as it was sent. */
export interface GroupQuery extends MatchQuery {
  readonly field: string
}

export interface AggregateQuery extends GroupQuery {
  readonly operation: AggregateOperation
}

export interface Aggregate extends Pick<AggregateQuery, 'field' | 'operation'> {
  /** Null if there are no numbers, except for `count` and `sum`. */
  readonly result: number | null
  /** Name of the collection. */
  readonly collection: string
}

/** The number of documents with the same value in a field. */
export interface Group {
  readonly value: JsonText
  readonly count: number
}

/** The most frequent values of a field. */
export interface Grouped {
  readonly field: string
  readonly groups: readonly Group[]
}
