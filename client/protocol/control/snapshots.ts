import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const snapshot = z.strictObject({
  name: z.string(),
  command: z.string().nullable().describe('Command before which it was saved automatically; null if saved on request.'),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  madeAt: z.string(),
  collections: z.int(),
  documents: z.int(),
  users: z.int(),
  files: z.int(),
  fileBytes: z.int().describe('Size of its files, which it shares with the project and other snapshots.'),
  bytes: z.int().describe('Size of everything else.'),
  missing: z.array(z.string()).describe('Secrets that the imported file did not contain.'),
})

export type Snapshot = z.output<typeof snapshot>

/** Branch and commit of the app. */
const place = { branch: z.string().max(255).optional(), commit: z.string().max(64).optional() }

const outcome = z.strictObject({
  restored: z.int().describe('Number of records restored to their state before the command.'),
  removed: z.int().describe('Number of records that the command created and undo removed.'),
  kept: z
    .array(z.strictObject({ id: z.string(), name: z.string().nullable() }))
    .describe('Records changed since, or whose name or id is taken: the first 1,000.'),
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
        fields: z.array(z.string()).describe('Changed fields.'),
      }),
    )
    .describe('The first 1,000.'),
}

const diff = z.strictObject({
  from: z.string(),
  to: z.string().nullable().describe('null for the current state.'),
  isSame: z.boolean(),
  documents: z.array(z.strictObject({ collection: z.string(), ...differences })),
  collections: z.strictObject(differences),
  users: z.strictObject(differences),
  files: z.strictObject(differences),
  accounts: z.strictObject(differences).describe('Accounts of the built-in provider.'),
  settings: z.array(z.string()).describe('Names of the changed settings.'),
})

export type SnapshotDiff = z.output<typeof diff>

/** Snapshots: named states of a project. Contract 11. */
export const snapshots = {
  save: {
    summary: 'Save documents, collections, users, sessions, files, provider accounts and settings.',
    request: z.union([
      z.strictObject({
        name: z.string().optional().describe('Default: the current time.'),
        ...place,
        replace: z.boolean().optional().describe('Replaces a snapshot of this name.'),
      }),
      z.strictObject({
        automatic: z.literal(true).describe('Saved before a destructive command, for undo.'),
        command: z.string().min(1).max(255),
        keeping: z
          .string()
          .optional()
          .describe('Snapshot that the command loads. It is not deleted to make room for this one.'),
        ...place,
      }),
    ]),
    status: 201,
    reply: snapshot,
  },
  list: {
    summary: 'List snapshots, newest first.',
    reply: z.strictObject({ snapshots: z.array(snapshot) }),
  },
  get: { summary: 'Get a snapshot.', reply: snapshot },
  diff: {
    summary: 'Compare two snapshots, or one with the current state.',
    request: z.object({
      to: z.string().optional().describe('Name of the later snapshot. Default: the current state.'),
    }),
    reply: diff,
  },
  load: {
    summary: 'Restore a project from a snapshot. Subscriptions get RESYNC.',
    reply: z.strictObject({
      ...snapshot.shape,
      lacking: z.array(z.string()).describe('Provider secrets that neither the snapshot nor the project has.'),
    }),
  },
  remove: { summary: 'Delete a snapshot.', reply: snapshot },
  finish: {
    summary: 'Mark the command of an automatic snapshot as ended. Later writes do not count as its changes.',
    reply: z.strictObject({
      name: z.string(),
      isKept: z.boolean().describe('false if the command changed nothing. The snapshot is then deleted.'),
    }),
  },
  undo: {
    summary: 'Undo the last command. Records changed since stay as they are and are listed.',
    request: z.strictObject({
      snapshot: z.string().optional().describe('Automatic snapshot before the command. Default: the newest.'),
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
