import { z } from 'zod'
import type { Json } from '../model/json.js'
import { limitWords, listLimits } from '../model/limits.js'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const columnTypes = ['text', 'number', 'boolean', 'time', 'json'] as const

const view = z.strictObject({
  name: z.string().describe('As a query names it: a collection, `users` or `files`.'),
  columns: z
    .array(
      z.strictObject({
        name: z.string(),
        type: z.enum(columnTypes).describe('A value of another type is null, and whole in `data`.'),
      }),
    )
    .describe('Own fields first, then those of the schema and of the newest documents, then `data`.'),
})

/** `z.json()` describes itself by references that have no place in the document of all operations. */
const value = z.custom<Json>((given) => given !== undefined, 'expected a value of JSON').meta({})

const answer = z.strictObject({
  columns: z.array(z.string()).describe('In the order of the query; a name can be there twice.'),
  rows: z.array(z.array(value)).describe('Each with a value for each column.'),
  isCut: z.boolean().describe('Whether there are more rows than these, by number or by size.'),
  milliseconds: z.number().describe('What the database took.'),
})

/** Contract 11: one SELECT over a throw-away copy of the collections that it names. */
export const sql = {
  run: {
    summary: 'Run one SELECT over a copy of the collections, users and files of a project. It cannot change anything.',
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
    summary: 'Get the columns of a collection, of `users` or of `files`, as a query sees them.',
    request: z.object({ name: z.string() }),
    reply: view,
  },
} satisfies OperationsOf<typeof operations.sql>
