import type { Writable } from '../../../client/protocol/model/json.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import type { StoredAnswer } from '../../core/documents/idempotency.js'
import type { Stream } from '../realtime/sse.js'

/** A complete answer, or one that goes on after its headers. */
export type Outgoing = StoredAnswer | (Pick<StoredAnswer, 'status' | 'headers'> & Stream)

/** An answer in a dialect, before serialization. */
interface Written {
  /** Undefined for an empty answer. */
  readonly body: Writable | string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Defaults to the status of the route. */
  readonly status?: number
  /** Follows the headers instead of a body. */
  readonly stream?: Stream
}

/** Encodes one kind of answer, and describes its schema. */
export interface ReplyForm<Value> {
  write(dialect: Dialect, value: Value): Written
  schema(dialect: Dialect): JsonSchema
  /** The status, if the dialect decides it. Defaults to the status of the route. */
  status?(dialect: Dialect): number
  readonly type?: string
}
