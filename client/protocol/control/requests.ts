import { z } from 'zod'
import { isObject } from '../model/json.js'
import type { Reason } from '../model/requests/reason.js'
import { counted, limited, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const milliseconds = z.number().min(0)
const bytes = z.int().min(0)
const headers = z.record(z.string(), z.string())

const caller = z.strictObject({
  kind: z.enum(['secret key', 'key', 'user', 'nobody']).describe('By what right; a user may have sent a key as well.'),
  key: z.string().nullable().describe('Id of the key, which is never the key itself.'),
  user: z.strictObject({ id: z.string(), email: z.string().nullable() }).nullable(),
})

const head = {
  id: z.string().describe('As in `x-request-id`.'),
  at: z.string().describe('When it came, by the clock of the machine.'),
  state: z
    .enum(['open', 'answered', 'aborted'])
    .describe('open: a stream that goes on. aborted: the client went away before the answer.'),
  method: z.string(),
  path: z.string().describe('With its query. What is a secret in it is masked.'),
  route: z.string().nullable().describe('Id of the route; null where nothing is served.'),
  project: z.string().nullable().describe('null where no project is known, as with a key that is not valid.'),
  caller,
  dialect: z.string().describe('What the answer is written in, as in `svc-dialect`.'),
  status: z.int().nullable().describe('null for what was never answered.'),
  code: z.string().nullable().describe('Of the error, as in `svc-error-code`.'),
  milliseconds,
  bytesIn: bytes.nullable().describe('Of the body; null where it was not counted.'),
  bytesOut: bytes.nullable().describe('Of the body; of a stream once it has ended.'),
  replayOf: z.string().nullable().describe('Id of the request that it repeats.'),
}

const body = z.strictObject({
  type: z.string().nullable().describe('The content type.'),
  bytes: bytes.nullable().describe('The true size; null where it was not counted.'),
  text: z.string().nullable().describe('At most 64 KB of it. null where `leftOut` says why.'),
  isCut: z.boolean(),
  isMasked: z.boolean().describe('Whether something in it is masked.'),
  leftOut: z
    .enum(['empty', 'binary', 'stream', 'secret', 'unread', 'memory'])
    .nullable()
    .describe(
      'secret: of a route for logins, and no JSON. unread: refused before. memory: left out for newer ones to fit.',
    ),
})

const statement = z.strictObject({
  text: z.string().describe('At most 8 KB of it.'),
  parameters: z.int(),
  values: z
    .array(z.string().nullable())
    .nullable()
    .describe('As text, each cut after 200 characters. null where they may be secrets, as in tables of accounts.'),
  milliseconds: milliseconds.describe('From asking for it to its rows, waiting included.'),
  rows: z.int().nullable().describe('null where it failed.'),
})

const record = z.strictObject({
  ...head,
  address: z.string().describe('Of the client, as far as trusted proxies say.'),
  origin: z.string().nullable().describe('Of the page that asked.'),
  request: z.strictObject({ headers, body }),
  answer: z.strictObject({ headers, body }),
  timing: z
    .strictObject({
      receiving: milliseconds.describe('Waiting for the body.'),
      queue: milliseconds.describe('Waiting for a connection of the database.'),
      database: milliseconds,
      hashing: milliseconds.describe('Of passwords, waiting for a thread included.'),
      writing: milliseconds.describe('Handing the answer to the connection.'),
      own: milliseconds.describe('All the rest.'),
    })
    .describe('Parts of `milliseconds`.'),
  statements: z.array(statement).describe('The first 50.'),
  statementCount: z.int(),
  error: z
    .strictObject({
      code: z.string(),
      message: z.string(),
      issues: z.array(
        z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string(), type: z.string() }),
      ),
    })
    .nullable(),
  reason: z
    .custom<Reason>(isObject, 'expected an object')
    .nullable()
    .meta({ type: ['object', 'null'], description: 'What exactly stood in the way, by its `kind`.' }),
  replayable: z.strictObject({
    is: z.boolean(),
    why: z.string().nullable().describe('Why it is not, for people.'),
  }),
})

const summary = z.strictObject(head)

export type RequestSummary = z.output<typeof summary>
export type RequestRecord = z.output<typeof record>

const difference = z.strictObject({
  part: z.enum(['status', 'headers', 'body']),
  path: z.array(z.union([z.string(), z.number()])).describe('Where in the headers or in a body of JSON.'),
  before: z.string().nullable().describe('As JSON, at most 1,000 characters of it; null where there was nothing.'),
  after: z.string().nullable(),
})

export type AnswerDifference = z.output<typeof difference>

const ofProject = {
  project: z.string().optional().describe('Id of a project; left out, all, and what belongs to none.'),
}

/** Contract 11: the last 1,000 requests. They are in memory only. */
export const requests = {
  list: {
    summary: 'List requests, the newest first.',
    request: z.object({
      ...ofProject,
      method: z.string().optional(),
      path: z.string().optional().describe('What the path begins with.'),
      route: z.string().optional().describe('Id of a route, or what it begins with, such as documents.'),
      status: z
        .string()
        .regex(/^([1-5](\d\d|xx))(,[1-5](\d\d|xx))*$/, 'status takes 404, 4xx, or several with commas')
        .optional()
        .describe('404, 4xx, or several with commas.'),
      code: z.string().optional().describe('Code of an error.'),
      user: z.string().optional().describe('Id of a user.'),
      slow: milliseconds.optional().describe('Those that took at least so many milliseconds.'),
      ids: z.string().optional().describe('Ids of requests, with commas; only those.'),
      before: z.string().optional().describe('Id of a request; only earlier ones.'),
      after: z.string().optional().describe('Id of a request; only later ones.'),
      limit: limited('requests'),
    }),
    reply: z.strictObject({
      isOn: z.boolean().describe('Whether the emulator records requests.'),
      requests: z.array(summary),
      kept: z.int().describe('How many are kept, whatever the filter.'),
      isWhole: z.boolean().describe('Whether `after` leaves out nothing: there is none, or it is not kept any more.'),
    }),
  },
  get: { summary: 'Get a request with bodies, timing and statements.', reply: record },
  plan: {
    summary: 'Get the plan of a statement that a request ran. It is explained anew, and does not run.',
    request: z.object({ statement: counted.optional().describe('Its place among the statements: 0 is the first.') }),
    reply: z.strictObject({ text: z.string(), plan: z.array(z.string()).describe('The lines of EXPLAIN.') }),
  },
  replay: {
    summary: 'Send a request once more, as the same caller, with some parts changed, and compare the answers.',
    request: z.strictObject({
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
      path: z.string().startsWith('/').optional().describe('With its query.'),
      headers: z
        .record(z.string(), z.string().nullable())
        .optional()
        .describe('These in place of its own; null takes one away. A key or token here is used instead of the caller.'),
      body: z.string().optional(),
    }),
    reply: z.strictObject({
      before: record,
      after: record,
      differences: z
        .array(difference)
        .describe('Of both answers, the first 1,000, without headers that are never the same twice.'),
    }),
  },
  clear: {
    summary: 'Clear the request log: all of it, or what is of a project.',
    request: z.object(ofProject),
    reply: z.strictObject({ count: z.int() }),
  },
} satisfies OperationsOf<typeof operations.requests>
