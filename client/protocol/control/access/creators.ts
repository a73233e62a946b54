import { z } from 'zod'
import type { OperationsOf } from '../operation.js'
import type { operations } from '../operations.js'

const creator = z.strictObject({
  collection: z.string(),
  id: z.string(),
  createdBy: z
    .string()
    .nullable()
    .describe('Id of the user who created the document, or was given it; null for no owner.'),
})

/** Who created a document, as the permission `owner` asks. Decision 71. */
export const creators = {
  get: { summary: 'Get who created a document.', reply: creator },
  set: {
    summary: 'Give a document to another user, or to none. Subscribers receive it as a change.',
    request: z.strictObject({ createdBy: z.string().nullable() }),
    reply: creator,
  },
} satisfies OperationsOf<typeof operations.creators>
