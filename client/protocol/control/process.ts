import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

/** Contract 11: which process answers, and for which folder, so that a command signals no other one. */
export const process = {
  get: {
    summary: 'Get the process id of the emulator and the folder of its data.',
    reply: z.strictObject({
      pid: z.int(),
      dataDir: z.string().nullable().describe('null where the data are in memory, or in a database elsewhere.'),
    }),
  },
} satisfies OperationsOf<typeof operations.process>
