import { z } from 'zod'
import { wordKinds } from '../../model/access/permission-words.js'
import { anyFields, type OperationsOf } from '../operation.js'
import type { operations } from '../operations.js'

const cell = z.strictObject({
  status: z.int().describe('HTTP status that a request would get, for example 200 or 403.'),
  code: z.string().nullable().describe('Error code; null if the request is allowed.'),
  reason: z.string().describe('Explains the status in one sentence.'),
})

const row = z.strictObject({
  kind: z
    .enum(['nobody', 'key', 'user', ...wordKinds, 'secret key'])
    .describe(
      `nobody sends no key. ${wordKinds.slice(0, -1).join(', ')} and ${wordKinds.at(-1)} are users made up for the question.`,
    ),
  name: z.string().describe('Permission word, role, email address of a user, or name of a key.'),
  id: z.string().nullable().describe('Id of the user or key, if it exists.'),
  cells: z.strictObject({ create: cell, list: cell, get: cell, update: cell, delete: cell }),
})

/** The rights of each kind of caller in a collection. Contract 13.9. */
export const rights = {
  ask: {
    summary: 'Ask what each kind of caller may do in a collection. Changes nothing and leaves no trace.',
    request: z.strictObject({
      document: z.string().optional().describe('Document to get, update, delete and copy. Default: the newest.'),
      permissions: anyFields
        .optional()
        .describe('Permissions that are not saved yet. Default: those of the collection.'),
      users: z
        .array(z.string())
        .max(20)
        .optional()
        .describe('Ids or email addresses of users to ask as, with their roles and memberships.'),
    }),
    reply: z.strictObject({
      collection: z.string(),
      document: z
        .string()
        .nullable()
        .describe('null if the collection is empty. Then a document without fields is assumed.'),
      isSaved: z.boolean().describe('false if the permissions came with the request.'),
      rows: z.array(row),
    }),
  },
} satisfies OperationsOf<typeof operations.rights>
