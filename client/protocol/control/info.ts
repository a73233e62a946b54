import { z } from 'zod'
import { tiers } from '../model/limits.js'
import { clockTime } from './clock.js'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'
import { shownSettings } from './projects.js'

const bytes = z.int().min(0)

/** Contract 11: what answers, where it keeps what, and how much of it there is. */
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
        version: z.string().describe('Of PostgreSQL.'),
        dataDir: z.string().nullable().describe('null where the data are in memory, or in a database elsewhere.'),
        servers: z
          .array(z.string())
          .describe('Where they are in a database elsewhere, its addresses, without user and password.'),
        isDurable: z.boolean().describe('Whether what is committed outlives a power cut.'),
        savedAt: z.string().nullable().describe('When it last wrote its log; null where it does not say.'),
        bytes,
      }),
      disk: z.strictObject({ freeBytes: bytes }).nullable().describe('null where nothing is kept in a folder.'),
      streams: z.strictObject({
        connections: z.int().describe('WebSockets and streams of server-sent events that have a subscription.'),
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
        storageBytes: bytes.nullable().describe('null where unlimited.'),
      }),
      hashing: z.strictObject({
        library: z.enum(['@node-rs/bcrypt', 'bcryptjs']).describe('What hashes passwords; the first is native code.'),
      }),
    }),
  },
  missingFiles: {
    summary: 'Find files whose bytes are gone from the file store, of all projects.',
    reply: z.strictObject({
      count: z.int().min(0),
      files: z
        .array(
          z.strictObject({
            id: z.string(),
            project: z.string(),
            name: z.string(),
            path: z.string().describe('Its folder; empty at the top.'),
            size: z.int(),
          }),
        )
        .describe('The first few of them.'),
    }),
  },
} satisfies OperationsOf<typeof operations.info>
