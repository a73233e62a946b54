import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const mostMilliseconds = 100 * 365 * 86_400_000

/** A moment, and how far it is from the system's. */
export const clockTime = z.strictObject({
  now: z.iso.datetime(),
  offset: z.int().describe('Milliseconds that the clock is ahead of the system time.'),
})

export type ClockTime = z.output<typeof clockTime>

const change = z.union([
  z.strictObject({ now: z.iso.datetime({ offset: true }) }),
  z.strictObject({ advance: z.int().min(-mostMilliseconds).max(mostMilliseconds) }),
])

/** Contract 11: time as the service sees it. Tokens, codes, rate windows and the waits between mails follow it. */
export const clock = {
  get: { summary: "Show the service's clock.", reply: clockTime },
  change: {
    summary: 'Set the clock to a moment, or advance it by milliseconds.',
    request: change,
    reply: clockTime,
  },
  reset: { summary: 'Reset the clock to the system time.', reply: clockTime },
  ofProject: {
    get: { summary: 'Show the clock that a project follows.', reply: clockTime },
    change: {
      summary: 'Move the clock of one project, which does not follow that of the service from then on.',
      request: change,
      reply: clockTime,
    },
    reset: { summary: "Have a project follow the service's clock again.", reply: clockTime },
  },
} satisfies OperationsOf<typeof operations.clock>
