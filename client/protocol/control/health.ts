import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

/** Contract 11: open, so that scripts which start the emulator can wait for it. */
export const health = {
  get: {
    summary: 'Check whether the emulator answers.',
    isOpen: true,
    reply: z.strictObject({
      status: z.literal('ok'),
      folder: z
        .string()
        .describe('Another for each state folder, and no secret: what a page keeps for one is not sent to another.'),
    }),
  },
} satisfies OperationsOf<typeof operations.health>
