import { z } from 'zod'
import { anyFields, counted, limited, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const version = z.strictObject({
  version: z.int32().min(0),
  seq: z.int().nullable().describe('Number of the change in its project; null of what is known without it.'),
  kind: z
    .enum(['created', 'updated', 'deleted', 'kept'])
    .describe('kept: no change of it is kept; the one after it says what it was, or it is what there is now.'),
  at: z.string(),
  data: anyFields.describe('As it was then; of a deleted document, as it was last.'),
  changed: z.array(z.string()).nullable().describe('Fields that are others than before; null where that is not known.'),
})

const record = z.strictObject({
  collection: z.string(),
  id: z.string(),
  isDeleted: z.boolean(),
  versions: z.array(version).describe('The newest first, at most 8 MB of them.'),
  next: z.int().nullable().describe('What `before` takes for those before these; null where no more are kept.'),
  isWhole: z
    .boolean()
    .describe('Whether the first of all versions is kept: changes go after an hour and 100,000 others.'),
})

export type HistoryRecord = z.output<typeof record>

const comparison = z.strictObject({
  from: z.int(),
  to: z.int(),
  differences: z.array(
    z.strictObject({
      path: z.array(z.union([z.string(), z.number()])),
      before: z.string().nullable().describe('As JSON, at most 1,000 characters of it; null where there was nothing.'),
      after: z.string().nullable(),
    }),
  ),
})

export type VersionComparison = z.output<typeof comparison>

/** Contract 11: versions of a document, as far as its changes are kept. */
export const history = {
  get: {
    summary: 'Get the versions of a document that are kept, the newest first.',
    request: z.object({
      before: counted.optional().describe('Number of a change; only versions before it.'),
      limit: limited('versions'),
    }),
    reply: record,
  },
  compare: {
    summary: 'Compare two versions of a document.',
    request: z.object({
      from: version.shape.version.optional().describe('A version; left out, the one before `to`.'),
      to: version.shape.version.optional().describe('A version; left out, the newest.'),
    }),
    reply: comparison,
  },
} satisfies OperationsOf<typeof operations.history>
