import type { Writable } from '../../../client/protocol/model/json.js'
import type { Dialect } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import type { Stream } from '../realtime/sse.js'

/** An answer in a dialect, before it is text. */
interface Written {
  readonly body: Writable | string
  readonly headers?: Readonly<Record<string, string>>
  /** Left out, the route's own. */
  readonly status?: number
  /** What follows the headers in the place of a body. */
  readonly stream?: Stream
}

/** How one kind of answer is written, and what it looks like. */
export interface ReplyForm<Value> {
  write(dialect: Dialect, value: Value): Written
  schema(dialect: Dialect): JsonSchema
  readonly type?: string
}
