import { z } from 'zod'
import type { Json } from '../model/json.js'
import { limitWords, listLimits } from '../model/limits.js'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const columnTypes = ['text', 'number', 'boolean', 'time', 'json'] as const

const view = z.strictObject({
  name: z.string().describe('Name in a query: a collection, `users` or `files`.'),
  columns: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.enum(columnTypes).describe('Values of another type are null here, but complete in `data`.'),
      }),
    )
    .describe('Fields of the service first, then fields of the schema and of the newest documents, then `data`.'),
})

/** Replaces `z.json()`, whose schema uses references that the document of all operations cannot resolve. */
const value = z.custom<Json>((given) => given !== undefined, 'expected a value of JSON').meta({})

const answer = z.strictObject({
  columns: z.array(z.string()).describe('In the order of the query. Names may repeat.'),
  rows: z.array(z.array(value)).describe('One value per column.'),
  isCut: z.boolean().describe('True if rows were cut, by number or size.'),
  milliseconds: z.number().describe('Time spent in the database.'),
})

/** Runs one SELECT on a temporary copy of the named collections. Contract 11. */
export const sql = {
  run: {
    summary: 'Run one SELECT on a copy of the collections, users and files of a project. It cannot change data.',
    request: z.object({
      query: z.string().describe('One SELECT, at most 20,000 characters.'),
      limit: z
        .int()
        .min(1)
        .max(listLimits.rows.most)
        .default(listLimits.rows.usual)
        .describe(`The ${limitWords('rows')}.`),
    }),
    reply: answer,
  },
  view: {
    summary: 'Get the columns of a collection, `users` or `files` in a query.',
    request: z.object({ name: z.string() }),
    reply: view,
  },
} satisfies OperationsOf<typeof operations.sql>
