import { z } from 'zod'
import { limited, type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

const which = {
  project: z.string().optional().describe('Id of a project. Default: all.'),
  to: z.string().optional().describe('Address of the recipient.'),
  after: z.string().optional().describe('Id of a mail. Lists only later ones.'),
}

const head = {
  id: z.string(),
  project: z.string(),
  to: z.string(),
  subject: z.string(),
  createdAt: z.string(),
  refused: z.string().nullable().describe('Reason why it was not sent; null if it was sent.'),
}

const mail = z.strictObject({
  ...head,
  text: z.string(),
  html: z.string(),
  links: z.array(z.string()).describe('URLs in the text, in order.'),
  codes: z.array(z.string()).describe('Six-digit numbers in the text.'),
  raw: z.string().describe('The whole message, as sent.'),
})

export type Mail = z.output<typeof mail>

/** Mailbox of the emulator. Contract 11. */
export const mailbox = {
  list: {
    summary: 'List mails, newest first.',
    request: z.object({ ...which, limit: limited('mails') }),
    reply: z.strictObject({ mails: z.array(z.strictObject(head)) }),
  },
  wait: {
    summary: 'Wait for a mail and get the newest.',
    request: z.object({
      ...which,
      timeout: z.number().min(0).optional().describe('Seconds to wait. Default 30, at most 60.'),
    }),
    reply: mail,
  },
  get: { summary: 'Get a mail with its links and codes.', reply: mail },
  remove: { summary: 'Delete a mail.', reply: removed },
  clear: {
    summary: 'Delete mails: all, or those of a project or to an address.',
    request: z.object({ project: which.project, to: which.to }),
    reply: z.strictObject({ count: z.int() }),
  },
} satisfies OperationsOf<typeof operations.mail>
