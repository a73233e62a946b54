import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const maxMilliseconds = 100 * 365 * 86_400_000

/** Time of the clock, and its offset from the system time. */
export const clockTime = z.strictObject({
  now: z.iso.datetime(),
  offset: z.int().describe('Milliseconds that the clock is ahead of the system time.'),
})

export type ClockTime = z.output<typeof clockTime>

const change = z.union([
  z.strictObject({ now: z.iso.datetime({ offset: true }) }),
  z.strictObject({ advance: z.int().min(-maxMilliseconds).max(maxMilliseconds) }),
])

/** Clock of the service. Tokens, codes, rate windows and mail intervals use it. Contract 11. */
export const clock = {
  get: { summary: "Show the service's clock.", reply: clockTime },
  change: {
    summary: 'Set the clock to a moment, or advance it by milliseconds.',
    request: change,
    reply: clockTime,
  },
  reset: { summary: 'Reset the clock to the system time.', reply: clockTime },
  ofProject: {
    get: { summary: 'Show the clock of a project.', reply: clockTime },
    change: {
      summary: 'Set or advance the clock of one project. It then no longer follows the clock of the service.',
      request: change,
      reply: clockTime,
    },
    reset: { summary: 'Make a project follow the clock of the service again.', reply: clockTime },
  },
} satisfies OperationsOf<typeof operations.clock>
