import { z } from 'zod'
import { anyFields, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const offender = z.strictObject({
  id: z.string(),
  value: z.string().nullable().describe('Value of the field as JSON, cut after 80 characters; null if it is missing.'),
  problem: z.string(),
  holder: z.string().nullable().describe('Earlier document with the same value, if values have to be unique.'),
})

const change = z.strictObject({
  fields: z
    .array(z.string())
    .describe('The changed field, the fields of a group that is unique together, or none for the collection itself.'),
  option: z.string().describe('Changed option, for example max. type for a field that is new or gone.'),
  text: z.string(),
  effect: z
    .enum(['blocked', 'breaks', 'fits'])
    .describe('blocked: cannot be saved. breaks: can be saved, although stored documents break it. fits: none does.'),
  problem: z.string().nullable().describe('Reason why it is blocked, apart from stored documents.'),
  count: z.int().min(0).describe('Number of stored documents that break it.'),
  documents: z.array(offender).describe('The first ten of them.'),
  repair: z.array(z.string()).nullable().describe('Words of the svc command that repairs them.'),
})

/** The effects of changes of a schema on stored documents. Contract 13.2. */
export const schemas = {
  plan: {
    summary:
      'Compare settings for the documents of a collection with the stored ones. Reads all documents, and changes nothing.',
    request: z.strictObject({
      schema: anyFields.optional().describe('Default: the stored schema.'),
      unique: z.array(z.array(z.string())).optional().describe('Groups of fields that are unique together.'),
      title: z.string().nullable().optional(),
    }),
    reply: z.strictObject({
      collection: z.string(),
      documentCount: z.int().min(0),
      changes: z.array(change),
    }),
  },
} satisfies OperationsOf<typeof operations.schemas>
