/** What a service answered to what detection asked it. */
import type { Json } from '../../client/protocol/model/json.js'

export interface SeenAnswer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly body: Json
}

export interface Seen {
  /** The list of collections. */
  readonly collections: SeenAnswer
  /** A document that does not exist. */
  readonly missing: SeenAnswer
  /** The documents of a collection, without a limit; nothing if there are none to be read. */
  readonly page: SeenAnswer | undefined
  /** The path of a collection by itself. */
  readonly plain: SeenAnswer
  /** One document, where the filter has an unknown suffix. */
  readonly unknownSuffix: SeenAnswer
  /** One document, where a filter that matches all is spelled with a single underscore. */
  readonly singleSuffix: SeenAnswer | undefined
  /** A document that was created as `{data: {first: 1}}`, and after a PUT of `{second: 2}`; both only where it may write. */
  readonly created?: Json
  readonly replaced?: Json
  /** The event of a document that was created. */
  readonly event?: Json | undefined
}
