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

/** Where the source code of the app is. */
const place = { branch: z.string().max(255).optional(), commit: z.string().max(64).optional() }

const outcome = z.strictObject({
  restored: z.int().describe('How many are as they were before the command.'),
  removed: z.int().describe('How many came with the command and are gone.'),
  kept: z
    .array(z.strictObject({ id: z.string(), name: z.string().nullable() }))
    .describe('What was written since, or whose place is taken: the first 1,000.'),
  keptCount: z.int(),
})

const differences = {
  added: z.int(),
  removed: z.int(),
  changed: z.int(),
  records: z
    .array(
      z.strictObject({
        id: z.string(),
        name: z.string().nullable(),
        kind: z.enum(['added', 'removed', 'changed']),
        fields: z.array(z.string()).describe('Of what was changed, the fields that are different.'),
      }),
    )
    .describe('The first 1,000.'),
}

const diff = z.strictObject({
  from: z.string(),
  to: z.string().nullable().describe('null for now.'),
  isSame: z.boolean(),
  documents: z.array(z.strictObject({ collection: z.string(), ...differences })),
  collections: z.strictObject(differences),
  users: z.strictObject(differences),
  files: z.strictObject(differences),
  accounts: z.strictObject(differences).describe('Of the built-in login provider.'),
  settings: z.array(z.string()).describe('Names of the settings that are different.'),
})

export type SnapshotDiff = z.output<typeof diff>

/** Contract 11: named states of a project. */
export const snapshots = {
  save: {
    summary: 'Save documents, collections, users, sessions, files, provider accounts and settings.',
    request: z.union([
      z.strictObject({
        name: z.string().optional().describe('Left out, the moment.'),
        ...place,
        replace: z.boolean().optional().describe('Takes the place of a snapshot of that name.'),
      }),
      z.strictObject({
        automatic: z.literal(true).describe('Before a command that destroys something, for undo.'),
        command: z.string().min(1).max(255),
        keeping: z
          .string()
          .optional()
          .describe('A snapshot that the command loads: it does not make room for this one.'),
        ...place,
      }),
    ]),
    status: 201,
    reply: snapshot,
  },
  list: {
    summary: 'List snapshots, the newest first.',
    reply: z.strictObject({ snapshots: z.array(snapshot) }),
  },
  get: { summary: 'Get a snapshot.', reply: snapshot },
  diff: {
    summary: 'Compare two snapshots, or one with now.',
    request: z.object({ to: z.string().optional().describe('Name of the later snapshot; left out, now.') }),
    reply: diff,
  },
  load: {
    summary: 'Bring a project back to a snapshot. Subscriptions get RESYNC.',
    reply: z.strictObject({
      ...snapshot.shape,
      lacking: z.array(z.string()).describe('Secrets of providers that neither the snapshot nor the project has.'),
    }),
  },
  remove: { summary: 'Delete a snapshot.', reply: snapshot },
  finish: {
    summary:
      'Say that the command has ended before which an automatic snapshot was saved: what is written then is not its.',
    reply: z.strictObject({
      name: z.string(),
      isKept: z.boolean().describe('false where the command has changed nothing: the snapshot is deleted then.'),
    }),
  },
  undo: {
    summary: 'Bring back what the last command has removed or changed. What was written since stays, and is listed.',
    request: z.strictObject({
      snapshot: z.string().optional().describe('The automatic snapshot before the command; left out, the newest.'),
    }),
    reply: z.strictObject({
      command: z.string(),
      snapshot: z.string(),
      collections: outcome,
      documents: outcome,
      users: outcome,
      files: outcome,
    }),
  },
} satisfies OperationsOf<typeof operations.snapshots>
