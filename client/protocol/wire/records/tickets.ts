/** Tickets for streams. Follows the `document` axis for the name of their time. Contract 9.5. */
import type { Writable } from '../../model/json.js'
import type { Dialect } from '../dialects.js'
import { object, text, time } from '../json-schema.js'
import { recordEnvelopes } from '../list/encode.js'

interface Ticket {
  readonly ticket: string
  readonly expiresAt: string
}

const camel = {
  schema: object({ ticket: text, expiresAt: time }),
  write: ({ ticket, expiresAt }: Ticket): Writable => ({ ticket, expiresAt }),
}

export const ticketShapes = {
  enveloped: camel,
  snake: {
    schema: object({ ticket: text, expires_at: time }),
    write: ({ ticket, expiresAt }: Ticket): Writable => ({ ticket, expires_at: expiresAt }),
  },
  flat: camel,
} as const satisfies Record<Dialect['document'], unknown>

export function writeTicket(dialect: Dialect, ticket: Ticket): Writable {
  return recordEnvelopes[dialect.record].write(ticketShapes[dialect.document].write(ticket))
}
