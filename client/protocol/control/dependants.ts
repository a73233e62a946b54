import { z } from 'zod'
import { sizes } from '../model/limits.js'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const count = z.int().min(0)

/** Documents that link to others with `onDelete`. Contract 13.3. */
export const dependants = {
  preview: {
    summary: 'Count the documents that link to what a deletion deletes. Changes nothing.',
    request: z.strictObject({
      to: z.string().describe('Name or id of the collection, or users.'),
      ids: z
        .array(z.string())
        .max(sizes.maxBatchItems)
        .describe('Ids of the records to delete. Without ids: the collection.')
        .optional(),
    }),
    reply: z.strictObject({
      collections: z
        .array(z.strictObject({ collection: z.string(), deleted: count, changed: count, left: count.optional() }))
        .describe(
          'Collections with documents that would be deleted, lose a link, or keep one that leads nowhere. Without the records themselves.',
        ),
    }),
  },
} satisfies OperationsOf<typeof operations.dependants>
