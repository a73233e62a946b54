import { z } from 'zod'
import { seedModes } from '../model/seed/steps.js'
import { anyFields, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const counts = { created: z.int(), updated: z.int(), kept: z.int() }

/** The part of the form that holds the steps, as JSON lines; every other part is a file of the seed. */
export const stepsPart = 'steps'

/** Contract 11: the seed of a project, all of it or nothing. */
export const seeds = {
  apply: {
    summary:
      'Seed a project in one transaction: a form whose part "steps" holds a step on each line, and whose other parts are the files.',
    request: z.strictObject({ mode: z.enum(seedModes).default('fill') }),
    isForm: true,
    reply: z.strictObject({
      users: z.strictObject(counts),
      files: z.strictObject(counts),
      collections: z.array(
        z.strictObject({
          name: z.string(),
          ...counts,
          ids: z.array(z.tuple([z.string(), z.string()])).describe('Names and ids of the documents, where asked for.'),
        }),
      ),
    }),
  },
  get: {
    summary: 'Get what an export of a seed needs beside documents: users with what opens their accounts, and files.',
    reply: z.strictObject({
      users: z.array(
        z.strictObject({
          id: z.string(),
          email: z.string(),
          data: anyFields,
          roles: z.array(z.string()),
          verified: z.boolean(),
          passwordHash: z.string().nullable(),
          twoFactor: z.string().nullable().describe('The secret of the authenticator app.'),
          identity: z.strictObject({ provider: z.string(), subject: z.string() }).nullable(),
        }),
      ),
      files: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          path: z.string(),
          url: z.string(),
          owner: z.string().nullable().describe('The document or user that it belongs to.'),
        }),
      ),
    }),
  },
} satisfies OperationsOf<typeof operations.seeds>
