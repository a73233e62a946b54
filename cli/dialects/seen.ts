/** What a service answered to what detection asked it. */
import type { Json } from '../../client/protocol/model/json.js'

export interface SeenAnswer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly body: Json
}

export interface Seen {
  /** A success: the list of collections or of users. */
  readonly record: SeenAnswer
  /** A user that does not exist. */
  readonly missing: SeenAnswer
  /** The path of a collection itself. */
  readonly plain?: SeenAnswer
  /** The documents of that collection, without a limit; nothing unless a list was answered. */
  readonly page?: SeenAnswer | undefined
  /** One document, filtered. Only of a collection that has some. */
  readonly filtered?: {
    /** By what one document has, the suffix after two underscores and after one. */
    readonly double: SeenAnswer
    readonly single: SeenAnswer
  }
}
