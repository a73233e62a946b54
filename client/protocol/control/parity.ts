import { z } from 'zod'
import type { Json } from '../model/json.js'
import { levels, results } from '../model/parity.js'
import type { OperationsOf, ReadOnly } from './operation.js'
import type { operations } from './operations.js'

const anything = z.custom<Json>((value) => value !== undefined, 'expected a value').meta({})
const day = z.iso.date().describe('Last day, for example 2027-01-31. At most a year from now.')
const reason = z.string().trim().min(1).max(500)

const exchange = z.object({
  request: z.string().describe('The request as a curl command, with secrets masked.'),
  status: z.int().nullable(),
  answer: z.string(),
})

const shape = z.object({ method: z.string(), path: z.string(), requests: z.int() })

const finding = z.object({
  id: z.string(),
  axis: z.string(),
  level: z.enum(levels),
  part: z.string(),
  here: anything,
  there: anything,
  mendedBy: z.string().nullable().describe('The part of the advice that mends it, such as document=snake.'),
  change: z.string().nullable().describe('What to change in the app, if no setting mends it.'),
  accepted: z.object({ reason: z.string(), until: z.string() }).nullable(),
  uses: z.array(shape).default([]).describe('Requests of your app that use what differs.'),
  exchanges: z.object({ here: z.array(exchange), there: z.array(exchange) }),
})

/** Content of `report.json` in the folder of a run. */
export const parityReport = z.object({
  run: z.string(),
  at: z.string(),
  url: z.string(),
  from: z.string(),
  dialect: z.string(),
  calls: z.int(),
  score: z.number().nullable().describe('same ÷ (same + differs). Null if nothing was compared.'),
  coverage: z.number().describe('(same + differs) ÷ all cases.'),
  facts: z.array(z.string()),
  cases: z.array(z.object({ id: z.string(), axis: z.string(), result: z.enum(results), why: z.string().optional() })),
  findings: z.array(finding),
  requests: z
    .object({ all: z.int(), tried: z.int() })
    .nullable()
    .default(null)
    .describe('Requests of your app in the request log, and those that a case tried.'),
  advice: z
    .object({
      ...{ dialect: z.string(), forms: z.array(z.string()), command: z.string(), mends: z.int() },
      breaks: z.array(z.string()).default([]).describe('Cases that are the same now and would differ with the advice.'),
    })
    .nullable(),
  left: z.array(z.string()).describe('Things that the run could not remove.'),
  stopped: z.string().nullable().describe('Why the run ended early.'),
})

export type ParityReport = ReadOnly<z.output<typeof parityReport>>
export type ParityFinding = ParityReport['findings'][number]

/** Content of `parity.lock.json`. */
export const parityLock = z.strictObject({
  accepted: z.array(
    z.strictObject({ id: z.string().min(1), part: z.string().min(1), reason: z.string().min(1), until: z.iso.date() }),
  ),
})

export type Accepted = z.output<typeof parityLock>['accepted'][number]

const score = { score: z.number().nullable(), coverage: z.number() }

/** Reports of `svc parity run`, and the differences that you accept. */
export const parity = {
  list: {
    summary: 'List the parity runs of the folder, newest first.',
    reply: z.strictObject({
      runs: z.array(
        z.strictObject({
          run: z.string(),
          at: z.string(),
          url: z.string(),
          ...score,
          breaks: z.int().describe('Findings that break an app and are not accepted.'),
        }),
      ),
    }),
  },
  get: {
    summary: 'Get the report of a parity run, with the differences that parity.lock.json accepts now.',
    reply: z.strictObject({ report: parityReport, lockFile: z.string().describe('Path of parity.lock.json.') }),
  },
  accept: {
    summary: 'Accept a difference by writing it to parity.lock.json.',
    request: z.strictObject({ id: z.string().min(1), part: z.string().min(1), reason, until: day }),
    reply: z.strictObject({ lockFile: z.string() }),
  },
} satisfies OperationsOf<typeof operations.parity>
