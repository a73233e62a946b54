import { z } from 'zod'
import { changeKinds } from '../model/change.js'
import { anyFields, counted, limited, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const version = z.strictObject({
  version: z.int32().min(0),
  seq: z
    .int()
    .nullable()
    .describe('Sequence number of the change in its project; null if the change is no longer kept.'),
  kind: z
    .enum([...changeKinds, 'kept'])
    .describe('kept: its own change is no longer kept; the data comes from the next change or the current document.'),
  at: z.string(),
  data: anyFields.describe('Data of this version; of a deleted document, its last data.'),
  changed: z.array(z.string()).nullable().describe('Changed fields; null if unknown.'),
})

const record = z.strictObject({
  collection: z.string(),
  id: z.string(),
  isDeleted: z.boolean(),
  versions: z.array(version).describe('Newest first, at most 8 MB.'),
  next: z.int().nullable().describe('Value of `before` for the next page; null if no more versions are kept.'),
  isWhole: z
    .boolean()
    .describe('True if the first version is still kept. Changes are dropped after one hour and 100,000 later changes.'),
})

export type HistoryRecord = z.output<typeof record>

const comparison = z.strictObject({
  from: z.int(),
  to: z.int(),
  differences: z.array(
    z.strictObject({
      path: z.array(z.union([z.string(), z.number()])),
      before: z.string().nullable().describe('JSON, cut after 1,000 characters; null if missing.'),
      after: z.string().nullable(),
    }),
  ),
})

export type VersionComparison = z.output<typeof comparison>

/** Versions of a document whose changes are kept. Contract 11. */
export const history = {
  get: {
    summary: 'Get the kept versions of a document, newest first.',
    request: z.object({
      before: counted.optional().describe('Sequence number of a change. Lists only versions before it.'),
      limit: limited('versions'),
    }),
    reply: record,
  },
  compare: {
    summary: 'Compare two versions of a document.',
    request: z.object({
      from: version.shape.version.optional().describe('A version. Default: the one before `to`.'),
      to: version.shape.version.optional().describe('A version. Default: the newest.'),
    }),
    reply: comparison,
  },
} satisfies OperationsOf<typeof operations.history>
