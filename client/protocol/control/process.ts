import { z } from 'zod'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

/** Process and data folder, so that a command signals the right process. Contract 11. */
export const process = {
  get: {
    summary: 'Get the process id of the emulator and the folder of its data.',
    reply: z.strictObject({
      pid: z.int(),
      dataDir: z.string().nullable().describe('null if the data is in memory or in an external database.'),
    }),
  },
} satisfies OperationsOf<typeof operations.process>
