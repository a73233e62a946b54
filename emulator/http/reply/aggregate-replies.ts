/** Encodes counts, aggregates and groups in each dialect, and describes their schemas. */
import type { Aggregate, Grouped } from '../../../client/protocol/model/aggregate.js'
import { axes } from '../../../client/protocol/wire/axes.js'
import type { JsonSchema } from '../../../client/protocol/wire/codec.js'
import {
  aggregateSchema,
  countSchema,
  encodeAggregate,
  encodeCount,
  encodeGroups,
  groupsSchema,
} from '../../../client/protocol/wire/records/aggregates.js'
import type { ReplyForm } from './reply-form.js'

/** The values that handlers return, by kind of reply. */
export interface AggregateReplyValues {
  matchCount: number
  aggregate: Aggregate
  groups: Grouped
}

export const aggregateReplies: {
  readonly [Kind in keyof AggregateReplyValues]: ReplyForm<AggregateReplyValues[Kind]>
} = {
  matchCount: {
    write: (dialect, count) => ({ body: encodeCount(dialect, count) }),
    schema: inRecord(countSchema),
  },
  aggregate: {
    write: (dialect, aggregate) => ({ body: encodeAggregate(dialect, aggregate) }),
    schema: inRecord(aggregateSchema),
  },
  groups: {
    write: (dialect, grouped) => ({ body: encodeGroups(dialect, grouped) }),
    schema: inRecord(groupsSchema),
  },
}

function inRecord(schema: JsonSchema): ReplyForm<never>['schema'] {
  return (dialect) => axes.record[dialect.record].schema(schema)
}
