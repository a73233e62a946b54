import { z } from 'zod'
import { maxScopes, scopeForm } from '../../model/access/key-scope.js'
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
      'Scopes of the key: read, write, admin, or one of them in a collection, such as write:posts; null for all.',
    ),
  expiresAt: z.string().nullable().describe('null if the key never expires.'),
}

/** A key in lists. */
export const listedKey = z.strictObject({
  ...granted,
  key: z.string().nullable().describe('null for secret keys, which are stored as hashes.'),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable().describe('Accurate to the minute.'),
})

/** Keys of a project. Contract 5.3 and 11; decision 71. */
export const keys = {
  list: {
    summary: 'List the keys of a project, oldest first.',
    reply: z.strictObject({ keys: z.array(listedKey) }),
  },
  create: {
    summary: 'Create a key. A secret key is shown only once.',
    request: z.strictObject({
      secret: z.boolean().default(false).describe('A secret key has every role.'),
      name: z.string().min(1).max(255).nullable().optional(),
      scopes: z
        .array(
          z
            .string()
            .regex(
              scopeForm,
              'is not a valid scope: use read, write, admin, or one of them with a collection, such as write:posts',
            ),
        )
        .min(1)
        .max(maxScopes)
        .nullable()
        .optional()
        .describe('Default: everything that this kind of key can do.'),
      expiresInSeconds: z
        .int()
        .min(1)
        .max(100 * 366 * 86_400)
        .optional()
        .describe('By the clock of the project. Default: never.'),
    }),
    status: 201,
    reply: z.strictObject({ ...granted, key: z.string() }),
  },
  revoke: { summary: 'Revoke a key, and end its realtime connections.', reply: removed },
} satisfies OperationsOf<typeof operations.keys>
