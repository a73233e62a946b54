import { z } from 'zod'
import { mostScopes, scopeForm } from '../../model/access/key-scope.js'
import { type OperationsOf, removed } from '../operation.js'
import type { operations } from '../operations.js'

const granted = {
  id: z.string(),
  secret: z.boolean(),
  name: z.string().nullable(),
  scopes: z
    .array(z.string())
    .nullable()
    .describe(
      'What the key is good for: read, write, admin, or one of them in a collection, as write:posts; null for all.',
    ),
  expiresAt: z.string().nullable().describe('null for a key that never expires.'),
}

/** A key as lists show it. */
export const listedKey = z.strictObject({
  ...granted,
  key: z.string().nullable().describe('null for a secret one, which is kept as a hash.'),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable().describe('As of the last minute.'),
})

/** Keys of a project. Contract 5.3 and 11; decision 71. */
export const keys = {
  list: {
    summary: 'List the keys of a project, the oldest first.',
    reply: z.strictObject({ keys: z.array(listedKey) }),
  },
  create: {
    summary: 'Create a key. A secret one is shown this once.',
    request: z.strictObject({
      secret: z.boolean().default(false).describe('A secret key satisfies every role.'),
      name: z.string().min(1).max(255).nullable().optional(),
      scopes: z
        .array(
          z
            .string()
            .regex(
              scopeForm,
              'is not a scope: use read, write, admin, or one of them with a collection, as write:posts',
            ),
        )
        .min(1)
        .max(mostScopes)
        .nullable()
        .optional()
        .describe('Left out, the key is good for all that its kind may do.'),
      expiresInSeconds: z
        .int()
        .min(1)
        .max(100 * 366 * 86_400)
        .optional()
        .describe('By the clock of the project; left out, never.'),
    }),
    status: 201,
    reply: z.strictObject({ ...granted, key: z.string() }),
  },
  revoke: { summary: 'Revoke a key. What was opened with it ends.', reply: removed },
} satisfies OperationsOf<typeof operations.keys>
