import { z } from 'zod'
import { anyFields, type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

const count = z.int().min(0)

const connection = z.strictObject({
  id: z.string(),
  transport: z.enum(['websocket', 'sse']),
  openedAt: z.string().describe('By the system clock.'),
  address: z.string().describe('Address of the client, as reported by trusted proxies.'),
  origin: z.string().nullable().describe('Origin of the page that opened it.'),
  project: z.string().nullable().describe('null before authentication.'),
  who: z.string().describe('secret key, key, nobody, or user with an id.'),
  email: z.string().nullable().describe('Email address of the user.'),
  subscriptions: z.array(
    z.strictObject({
      collection: z.string().describe('Name or id, as in the subscription.'),
      filters: anyFields.describe('Filters, as sent.'),
      isLive: z
        .boolean()
        .describe('True if documents that start or stop matching the filter count as created or deleted.'),
      position: count.describe('Latest change that it has received or skipped.'),
      lag: count.describe('Number of later changes in the project.'),
    }),
  ),
  bytesSent: count,
  waitingBytes: count.describe('Bytes that the other end has not received yet.'),
})

export type ConnectionRecord = z.output<typeof connection>

/** Realtime connections of this process, and how far behind they are. Contract 11. */
export const connections = {
  list: {
    summary: 'List open realtime connections, oldest first.',
    request: z.object({ project: z.string().optional().describe('Id of a project. Default: all.') }),
    reply: z.strictObject({ connections: z.array(connection) }),
  },
  close: {
    summary: 'Close a connection. Clients reconnect and receive what they missed.',
    reply: removed,
  },
} satisfies OperationsOf<typeof operations.connections>
