import { z } from 'zod'
import { tiers } from '../model/limits.js'
import { clockTime } from './clock.js'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'
import { shownSettings } from './projects.js'

const bytes = z.int().min(0)

/** Information about the emulator and its data. Contract 11. */
export const info = {
  get: {
    summary:
      'Get version, project, addresses, database, free disk, open streams, clock, dialect and limits of the emulator.',
    reply: z.strictObject({
      version: z.string(),
      project: z
        .strictObject({ id: z.string(), name: z.string() })
        .describe('The project that the emulator was started for.'),
      addresses: z.strictObject({
        url: z.string(),
        wsUrl: z.string(),
        storageUrl: z.string(),
        dashboardUrl: z.string(),
      }),
      database: z.strictObject({
        version: z.string().describe('Version of PostgreSQL.'),
        dataDir: z.string().nullable().describe('null if the data is in memory or in an external database.'),
        servers: z.array(z.string()).describe('Addresses of an external database, without user and password.'),
        isDurable: z.boolean().describe('True if committed data survives a power failure.'),
        savedAt: z.string().nullable().describe('Time of the last log write; null if unknown.'),
        bytes,
      }),
      disk: z.strictObject({ freeBytes: bytes }).nullable().describe('null if no data is in a folder.'),
      streams: z.strictObject({
        connections: z.int().describe('Number of WebSockets and event streams with a subscription.'),
        subscriptions: z.int(),
      }),
      clock: clockTime,
      dialect: shownSettings.dialect.describe('As in the header `svc-dialect`.'),
      limits: z.strictObject({
        tier: z.enum(tiers),
        rateLimit: shownSettings.rateLimit,
        page: z.strictObject({ default: z.int(), most: z.int() }),
        batchItems: z.int(),
        bodyBytes: bytes,
        documentBytes: bytes,
        fileBytes: bytes,
        storageBytes: bytes.nullable().describe('null if unlimited.'),
      }),
      hashing: z.strictObject({
        library: z
          .enum(['@node-rs/bcrypt', 'bcryptjs'])
          .describe('Library that hashes passwords; the first is native code.'),
      }),
    }),
  },
  missingFiles: {
    summary: 'Find files of all projects whose bytes are missing from the file store.',
    reply: z.strictObject({
      count: z.int().min(0),
      files: z
        .array(
          z.strictObject({
            id: z.string(),
            project: z.string(),
            name: z.string(),
            path: z.string().describe('Folder; empty for the root.'),
            size: z.int(),
          }),
        )
        .describe('The first few files.'),
    }),
  },
} satisfies OperationsOf<typeof operations.info>
