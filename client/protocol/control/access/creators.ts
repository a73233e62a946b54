import { z } from 'zod'
import type { OperationsOf } from '../operation.js'
import type { operations } from '../operations.js'

const creator = z.strictObject({
  collection: z.string(),
  id: z.string(),
  createdBy: z
    .string()
    .nullable()
    .describe('Id of the user who created the document or received it by transfer; null without an owner.'),
})

/** Creators of documents, which the permission `owner` checks. Decision 71. */
export const creators = {
  get: { summary: 'Get the creator of a document.', reply: creator },
  set: {
    summary: 'Transfer a document to another user, or remove its owner. Subscribers receive a change.',
    request: z.strictObject({ createdBy: z.string().nullable() }),
    reply: creator,
  },
} satisfies OperationsOf<typeof operations.creators>
