import { z } from 'zod'
import { permissionKinds } from '../model/collection.js'
import type { OperationsOf } from './operation.js'
import type { operations } from './operations.js'

const use = z.strictObject({
  collection: z.string().describe('Name of the collection, in any project.'),
  permission: z.enum(permissionKinds),
  word: z.string().describe('Role, authenticated, owner, or member:<path>.'),
  requests: z.int().min(0).describe('Requests of callers to whom the word applies, since the emulator was started.'),
})

/** Parts of the rules that requests have needed, for the tests of an app. */
export const coverage = {
  permissions: {
    summary: 'Count the requests that needed each permission, of all projects together.',
    reply: z.strictObject({ permissions: z.array(use) }),
  },
} satisfies OperationsOf<typeof operations.coverage>
