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

/** Contract 11: time as the service sees it. Tokens, codes, rate windows and the waits between mails follow it. */
export const clock = {
  get: { summary: "Show the service's clock.", reply: clockTime },
  change: {
    summary: 'Set the clock to a moment, or advance it by milliseconds.',
    request: z.union([
      z.strictObject({ now: z.iso.datetime({ offset: true }) }),
      z.strictObject({ advance: z.int().min(-mostMilliseconds).max(mostMilliseconds) }),
    ]),
    reply: clockTime,
  },
  reset: { summary: 'Reset the clock to the system time.', reply: clockTime },
} satisfies OperationsOf<typeof operations.clock>
