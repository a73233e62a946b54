/** Encodes tickets for event streams. The `document` axis decides the name of the time. Contract 9.5. */
import type { Writable } from '../../model/json.js'
import { axes, type Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { chooseNaming } from '../document/encode.js'
import type { Naming } from '../document/user-record.js'
import { object, text, time } from '../json-schema.js'

interface Ticket {
  readonly ticket: string
  readonly expiresAt: string
}

interface TicketShape {
  readonly schema: JsonSchema
  encode(ticket: Ticket): Writable
}

const snake: TicketShape = {
  schema: object({ ticket: text, expires_at: time }),
  encode: ({ ticket, expiresAt }) => ({ ticket, expires_at: expiresAt }),
}

const ticketShapes = {
  camel: {
    schema: object({ ticket: text, expiresAt: time }),
    encode: ({ ticket, expiresAt }) => ({ ticket, expiresAt }),
  },
  snake,
  deployed: snake,
} as const satisfies Record<Naming, TicketShape>

export function ticketSchema(dialect: Dialect): JsonSchema {
  return ticketShapes[chooseNaming(dialect)].schema
}

export function encodeTicket(dialect: Dialect, ticket: Ticket): Writable {
  return axes.record[dialect.record].encode(ticketShapes[chooseNaming(dialect)].encode(ticket))
}
