import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

/** Health check. Needs no token, so that scripts can wait for the emulator to start. Contract 11. */
export const health = {
  get: {
    summary: 'Check whether the emulator is running.',
    isOpen: true,
    reply: z.strictObject({
      status: z.literal('ok'),
      folder: z
        .string()
        .describe('Public id of the state folder. Pages use it to keep data of different folders apart.'),
    }),
  },
} satisfies OperationsOf<typeof operations.health>
