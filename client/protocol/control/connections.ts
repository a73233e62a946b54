import { z } from 'zod'
import { anyFields, type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

const count = z.int().min(0)

const connection = z.strictObject({
  id: z.string(),
  transport: z.enum(['websocket', 'sse']),
  openedAt: z.string().describe('By the clock of the machine.'),
  address: z.string().describe('Of the client, as far as trusted proxies say.'),
  origin: z.string().nullable().describe('Of the page that opened it.'),
  project: z.string().nullable().describe('null before it has said who it is.'),
  who: z.string().describe('secret key, key, nobody, or user and an id.'),
  email: z.string().nullable().describe('Of a user.'),
  subscriptions: z.array(
    z.strictObject({
      collection: z.string().describe('As it was subscribed to: a name or an id.'),
      filters: anyFields.describe('As they were sent.'),
      isLive: z.boolean().describe('Whether entering and leaving the filter counts as created and deleted.'),
      position: count.describe('The newest change that it has received, or that was none of its business.'),
      lag: count.describe('How many changes of the project came after that.'),
    }),
  ),
  bytesSent: count,
  waitingBytes: count.describe('Of these, what the other end has not taken yet.'),
})

export type ConnectionRecord = z.output<typeof connection>

/** Contract 11: who subscribes to realtime events of this process, and how far behind. */
export const connections = {
  list: {
    summary: 'List the open connections for realtime events, the oldest first.',
    request: z.object({ project: z.string().optional().describe('Id of a project; left out, all.') }),
    reply: z.strictObject({ connections: z.array(connection) }),
  },
  close: {
    summary: 'Close a connection. Clients come back, and receive what they missed.',
    reply: removed,
  },
} satisfies OperationsOf<typeof operations.connections>
