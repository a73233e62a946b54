import { z } from 'zod'
import { type AuditedOperation, auditedOperations } from '../../model/access/audit.js'
import { counted, limited, type OperationsOf } from '../operation.js'
import type { operations } from '../operations.js'

const operation = z.enum(Object.keys(auditedOperations) as AuditedOperation[])

const entry = z.strictObject({
  id: z.int(),
  at: z.string(),
  operation,
  by: z
    .strictObject({
      kind: z.enum(['control', 'key', 'user', 'service']),
      id: z.string().nullable().describe('Of the key or user.'),
      name: z.string().nullable().describe('Of the key.'),
    })
    .describe('control: the holder of the control token; service: the service itself, without a request.'),
  subject: z
    .strictObject({
      collection: z.string().optional(),
      renamedTo: z.string().optional(),
      document: z.string().optional(),
      key: z.string().optional().describe('Id of the key.'),
      user: z.string().optional(),
      snapshot: z.string().optional(),
      names: z.array(z.string()).optional().describe('Names of what was changed or emptied; values are not kept.'),
    })
    .describe('What it concerns.'),
  requestId: z.string().nullable(),
})

/** What owners did. */
export const audit = {
  list: {
    summary:
      "List the audit log of a project: its owners' operations, the newest first. Kept for 90 days, and 100,000 of a project.",
    request: z.object({
      operation: operation.optional().describe('Only this operation.'),
      before: counted.optional().describe('Id of an entry; only earlier ones.'),
      limit: limited('entries'),
    }),
    reply: z.strictObject({
      entries: z.array(entry),
      next: z.int().nullable().describe('What `before` takes for those before these; null where there are no more.'),
    }),
  },
} satisfies OperationsOf<typeof operations.audit>
