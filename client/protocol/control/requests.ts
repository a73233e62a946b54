import { z } from 'zod'
import { isObject } from '../model/json.js'
import type { Reason } from '../model/requests/reason.js'
import { counted, limited, type OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const milliseconds = z.number().min(0)
const bytes = z.int().min(0)
const headers = z.record(z.string(), z.string())

const caller = z.strictObject({
  kind: z
    .enum(['secret key', 'key', 'user', 'nobody'])
    .describe('Rights of the caller. A user may also have sent a key.'),
  key: z.string().nullable().describe('Id of the key, never the key itself.'),
  user: z.strictObject({ id: z.string(), email: z.string().nullable() }).nullable(),
})

const head = {
  id: z.string().describe('As in `x-request-id`.'),
  at: z.string().describe('Time of arrival, by the system clock.'),
  state: z
    .enum(['open', 'answered', 'aborted'])
    .describe('open: a stream that continues. aborted: the client disconnected before the response.'),
  method: z.string(),
  path: z.string().describe('Path with query. Secrets are masked.'),
  route: z.string().nullable().describe('Id of the route; null if no route matches.'),
  project: z.string().nullable().describe('null if unknown, for example with an invalid key.'),
  caller,
  dialect: z.string().describe('Dialect of the response, as in `svc-dialect`.'),
  status: z.int().nullable().describe('null without a response.'),
  code: z.string().nullable().describe('Error code, as in `svc-error-code`.'),
  milliseconds,
  bytesIn: bytes.nullable().describe('Size of the body; null if not counted.'),
  bytesOut: bytes.nullable().describe('Size of the body. For streams, set at the end.'),
  replayOf: z.string().nullable().describe('Id of the replayed request.'),
}

const body = z.strictObject({
  type: z.string().nullable().describe('The content type.'),
  bytes: bytes.nullable().describe('Full size; null if not counted.'),
  text: z.string().nullable().describe('Cut after 64 KB. null for the reason in `leftOut`.'),
  isCut: z.boolean(),
  isMasked: z.boolean().describe('True if parts are masked.'),
  leftOut: z
    .enum(['empty', 'binary', 'stream', 'secret', 'unread', 'memory'])
    .nullable()
    .describe(
      'secret: a login body that is not JSON. unread: refused before reading. memory: dropped to make room for newer ones.',
    ),
})

const statement = z.strictObject({
  text: z.string().describe('Cut after 8 KB.'),
  parameters: z.int(),
  values: z
    .array(z.string().nullable())
    .nullable()
    .describe('Values as text, cut after 200 characters. null if they may be secrets, as in account tables.'),
  milliseconds: milliseconds.describe('Duration until the rows arrive, including waiting.'),
  rows: z.int().nullable().describe('null if it failed.'),
})

const record = z.strictObject({
  ...head,
  address: z.string().describe('Address of the client, as reported by trusted proxies.'),
  origin: z.string().nullable().describe('Origin of the page that sent it.'),
  request: z.strictObject({ headers, body }),
  answer: z.strictObject({ headers, body }),
  timing: z
    .strictObject({
      receiving: milliseconds.describe('Time spent waiting for the body.'),
      queue: milliseconds.describe('Time spent waiting for a database connection.'),
      database: milliseconds,
      hashing: milliseconds.describe('Password hashing, including waiting for a thread.'),
      writing: milliseconds.describe('Time spent writing the response.'),
      own: milliseconds.describe('Everything else.'),
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
    .meta({ type: ['object', 'null'], description: 'Details of the refusal, by `kind`.' }),
  replayable: z.strictObject({
    is: z.boolean(),
    why: z.string().nullable().describe('Reason why it cannot be replayed.'),
  }),
})

const summary = z.strictObject(head)

export type RequestSummary = z.output<typeof summary>
export type RequestRecord = z.output<typeof record>

const difference = z.strictObject({
  part: z.enum(['status', 'headers', 'body']),
  path: z.array(z.union([z.string(), z.number()])).describe('Position in the headers or the JSON body.'),
  before: z.string().nullable().describe('JSON, cut after 1,000 characters; null if missing.'),
  after: z.string().nullable(),
})

export type AnswerDifference = z.output<typeof difference>

const ofProject = {
  project: z.string().optional().describe('Id of a project. Default: all requests, also those without a project.'),
}

/** The last 1,000 requests, kept in memory only. Contract 11. */
export const requests = {
  list: {
    summary: 'List requests, newest first.',
    request: z.object({
      ...ofProject,
      method: z.string().optional(),
      path: z.string().optional().describe('Start of the path.'),
      route: z.string().optional().describe('Id of a route, or its start, for example documents.'),
      status: z
        .string()
        .regex(/^([1-5](\d\d|xx))(,[1-5](\d\d|xx))*$/, 'must be 404, 4xx, or several separated by commas')
        .optional()
        .describe('404, 4xx, or several separated by commas.'),
      code: z.string().optional().describe('Error code.'),
      user: z.string().optional().describe('Id of a user.'),
      slow: milliseconds.optional().describe('Minimum duration in milliseconds.'),
      ids: z.string().optional().describe('Ids of requests, separated by commas.'),
      before: z.string().optional().describe('Id of a request. Lists only earlier ones.'),
      after: z.string().optional().describe('Id of a request. Lists only later ones.'),
      limit: limited('requests'),
    }),
    reply: z.strictObject({
      isOn: z.boolean().describe('True if the emulator records requests.'),
      requests: z.array(summary),
      kept: z.int().describe('Number of kept requests, independent of the filter.'),
      isWhole: z
        .boolean()
        .describe('True if the list starts at the oldest request: `after` is not set, or is no longer kept.'),
    }),
  },
  get: { summary: 'Get a request with bodies, timing and statements.', reply: record },
  plan: {
    summary: 'Get the plan of a statement that a request ran. EXPLAIN does not run the statement.',
    request: z.object({ statement: counted.optional().describe('Index of the statement, from 0.') }),
    reply: z.strictObject({ text: z.string(), plan: z.array(z.string()).describe('Lines of EXPLAIN.') }),
  },
  replay: {
    summary: 'Send a request again as the same caller, with optional changes, and compare the responses.',
    request: z.strictObject({
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
      path: z.string().startsWith('/').optional().describe('Path with query.'),
      headers: z
        .record(z.string(), z.string().nullable())
        .optional()
        .describe('Headers to replace; null removes one. A key or token here replaces the caller.'),
      body: z.string().optional(),
    }),
    reply: z.strictObject({
      before: record,
      after: record,
      differences: z.array(difference).describe('The first 1,000 differences, without headers that always differ.'),
    }),
  },
  clear: {
    summary: 'Clear the request log, or the requests of a project.',
    request: z.object(ofProject),
    reply: z.strictObject({ count: z.int() }),
  },
} satisfies OperationsOf<typeof operations.requests>
