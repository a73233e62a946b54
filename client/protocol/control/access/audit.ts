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
      id: z.string().nullable().describe('Id of the key or user.'),
      name: z.string().nullable().describe('Name of the key.'),
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
      names: z.array(z.string()).optional().describe('Names of changed or emptied parts, without values.'),
    })
    .describe('Subject of the operation.'),
  requestId: z.string().nullable(),
})

/** Audit log of owners' operations. */
export const audit = {
  list: {
    summary:
      "List the audit log of a project: its owners' operations, newest first. Keeps 90 days and 100,000 entries per project.",
    request: z.object({
      operation: operation.optional().describe('Filters by operation.'),
      before: counted.optional().describe('Id of an entry. Lists only earlier ones.'),
      limit: limited('entries'),
    }),
    reply: z.strictObject({
      entries: z.array(entry),
      next: z.int().nullable().describe('Value of `before` for the next page; null on the last page.'),
    }),
  },
} satisfies OperationsOf<typeof operations.audit>
