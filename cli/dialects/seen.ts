/** Responses that detection collected. */
import type { Json } from '../../client/protocol/model/json.js'

export interface SeenAnswer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly body: Json
}

export interface Seen {
  /** A successful response: the list of collections or users. */
  readonly record: SeenAnswer
  /** Response for a user that does not exist. */
  readonly missing: SeenAnswer
  /** Response at the collection's own path. */
  readonly plain?: SeenAnswer
  /** The collection's documents, without a limit. Undefined if no list was returned. */
  readonly page?: SeenAnswer | undefined
  /** The documents filtered by one value. Undefined for an empty collection. */
  readonly filtered?: {
    /** Filtered by a value of one document, with the suffix after two underscores and after one. */
    readonly double: SeenAnswer
    readonly single: SeenAnswer
    /** Filtered with a suffix that only the form `any` has after one underscore. */
    readonly any: SeenAnswer
  }
}
