import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const index = z.strictObject({
  collection: z.string(),
  equal: z.array(z.string()).describe('Fields that lists test for equality, before the sort field.'),
  field: z.string().describe('Field that lists sort by, compare or search.'),
  kind: z
    .enum(['asc', 'desc', 'text', 'creator'])
    .describe('asc and desc sort and compare; text finds parts of text; creator finds documents of a user.'),
  bytes: z.int(),
  uses: z.int().describe('Number of lists it has served, up to the last minute.'),
  madeAt: z.string(),
  usedAt: z.string().describe('An index unused for two weeks is dropped.'),
  isReady: z.boolean().describe('false while it is being created.'),
  reason: z.string().describe('Reason why it was created; empty if created by an older version.'),
})

/** Indexes that the service creates and drops automatically, based on list requests. Contract 11. */
export const indexes = {
  list: {
    summary: 'List the indexes of a project, and why they exist.',
    request: z.object({ collection: z.string().optional().describe('Default: all collections.') }),
    reply: z.strictObject({ indexes: z.array(index) }),
  },
} satisfies OperationsOf<typeof operations.indexes>
