import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const snapshot = z.strictObject({
  name: z.string(),
  command: z
    .string()
    .nullable()
    .describe('The command before which it was saved by itself; null where it was asked for.'),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  madeAt: z.string(),
  collections: z.int(),
  documents: z.int(),
  users: z.int(),
  files: z.int(),
  fileBytes: z.int().describe('What its files take, which it shares with the project and other snapshots.'),
  bytes: z.int().describe('What all else takes.'),
  missing: z.array(z.string()).describe('Secrets that were left out of the file it was imported from.'),
})

export type Snapshot = z.output<typeof snapshot>

/** Contract 11: named states of a project. */
export const snapshots = {
  save: {
    summary: 'Save documents, collections, users, sessions, files, provider accounts and settings.',
    request: z.strictObject({
      name: z.string().optional().describe('Left out, the moment.'),
      branch: z.string().max(255).optional(),
      commit: z.string().max(64).optional(),
      replace: z.boolean().optional().describe('Takes the place of a snapshot of that name.'),
    }),
    status: 201,
    reply: snapshot,
  },
  list: {
    summary: 'List snapshots, the newest first.',
    reply: z.strictObject({ snapshots: z.array(snapshot) }),
  },
  get: { summary: 'Get a snapshot.', reply: snapshot },
  load: {
    summary: 'Bring a project back to a snapshot. Subscriptions get RESYNC.',
    reply: z.strictObject({
      ...snapshot.shape,
      lacking: z.array(z.string()).describe('Secrets of providers that neither the snapshot nor the project has.'),
    }),
  },
  remove: { summary: 'Delete a snapshot.', reply: snapshot },
} satisfies OperationsOf<typeof operations.snapshots>
