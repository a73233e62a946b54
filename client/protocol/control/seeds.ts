import { z } from 'zod'
import { seedModes } from '../model/seed/steps.js'
import { anyFields, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const counts = { created: z.int(), updated: z.int(), kept: z.int() }

/** Form part with the steps as JSON lines. All other parts are files of the seed. */
export const stepsPart = 'steps'

/** Seeds a project, all or nothing. Contract 11. */
export const seeds = {
  apply: {
    summary:
      'Seed a project in one transaction. The form part "steps" has one step per line; the other parts are files.',
    request: z.strictObject({ mode: z.enum(seedModes).default('fill') }),
    isForm: true,
    reply: z.strictObject({
      users: z.strictObject(counts),
      files: z.strictObject(counts),
      collections: z.array(
        z.strictObject({
          name: z.string(),
          ...counts,
          ids: z.array(z.tuple([z.string(), z.string()])).describe('Names and ids of the documents, if requested.'),
        }),
      ),
    }),
  },
  get: {
    summary: 'Get users with their credentials, and files, to export a seed.',
    reply: z.strictObject({
      users: z.array(
        z.strictObject({
          id: z.string(),
          email: z.string(),
          data: anyFields,
          roles: z.array(z.string()),
          verified: z.boolean(),
          passwordHash: z.string().nullable(),
          twoFactor: z.string().nullable().describe('Secret of the authenticator app.'),
          identity: z.strictObject({ provider: z.string(), subject: z.string() }).nullable(),
        }),
      ),
      files: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          path: z.string(),
          url: z.string(),
          owner: z.string().nullable().describe('Document or user that owns the file.'),
        }),
      ),
    }),
  },
} satisfies OperationsOf<typeof operations.seeds>
