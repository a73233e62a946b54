import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const index = z.strictObject({
  collection: z.string(),
  equal: z.array(z.string()).describe('Fields that lists compare with a value, before the one that they sort by.'),
  field: z.string().describe('The field that lists sort by, compare or search.'),
  kind: z
    .enum(['asc', 'desc', 'text', 'creator'])
    .describe('In order, which serves sorting and comparing; parts of texts; or what each user created.'),
  bytes: z.int(),
  uses: z.int().describe('How many lists it has served, as of the last minute.'),
  madeAt: z.string(),
  usedAt: z.string().describe('One that no list has used for two weeks is dropped.'),
  isReady: z.boolean().describe('false while it is made.'),
  reason: z.string().describe('Why it was made; empty for one that an older version made.'),
})

/** Contract 11: what the service keeps so that lists are fast. It makes and drops indexes by itself, from what lists ask for. */
export const indexes = {
  list: {
    summary: 'List the indexes that are kept for the lists of a project, and why.',
    request: z.object({ collection: z.string().optional().describe('Left out, of all collections.') }),
    reply: z.strictObject({ indexes: z.array(index) }),
  },
} satisfies OperationsOf<typeof operations.indexes>
