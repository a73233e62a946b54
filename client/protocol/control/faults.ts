import { z } from 'zod'
import { statuses } from '../model/errors.js'
import { type FaultKind, type FaultPreset, faultKinds, faultPresets } from '../model/faults/fault.js'
import { type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

const kinds = Object.keys(faultKinds) as [FaultKind, ...FaultKind[]]
const presets = Object.keys(faultPresets) as [FaultPreset, ...FaultPreset[]]
const known: readonly number[] = Object.values(statuses)

const which = {
  method: z
    .string()
    .regex(/^[A-Z]+$/, 'must be in capital letters')
    .optional(),
  path: z
    .string()
    .max(1_000)
    .regex(/^\/(?!_svc(\/|$))/, 'must start with "/" and not be below "/_svc", which faults do not affect')
    .optional()
    .describe('`*` matches one path segment, a final `**` any number.'),
  project: z.string().optional().describe('Id of a project. Default: all.'),
  user: z.string().optional().describe('Id of a user.'),
}

const input = z.strictObject({
  kind: z.enum(kinds),
  ...which,
  rate: z.number().min(0).max(1).optional().describe('Share of the requests. Default 1.'),
  seed: z.int().min(0).optional().describe('Seed of the random selection if the rate is below 1. Default 1.'),
  times: z.int().min(1).optional().describe('Stops after this many hits.'),
  milliseconds: z.number().min(0).max(60_000).optional(),
  jitter: z.number().min(0).max(60_000).optional(),
  status: z
    .int()
    .refine((status) => known.includes(status), 'is not an error status of the service')
    .optional(),
  retryAfter: z.int().min(0).max(3_600).optional(),
  when: z.enum(['before', 'after']).optional(),
  bytesPerSecond: z.int().min(1).optional(),
  seconds: z.number().min(0.1).max(3_600).optional(),
})

const fault = z.strictObject({
  ...input.shape,
  id: z.string(),
  preset: z.string().nullable().describe('Preset that added it.'),
  rate: z.number(),
  seed: z.int(),
  seen: z.int().describe('Number of matching requests.'),
  hits: z.int().describe('Number of affected requests or connections.'),
})

/** Fault injection. Kept in memory only. Contract 11. */
export const faults = {
  list: {
    summary: 'List active faults in the order in which they were added.',
    request: z.object({ project: z.string().optional() }),
    reply: z.strictObject({ faults: z.array(fault) }),
  },
  add: {
    summary: 'Add a fault. It stays active until you remove it or the service stops.',
    request: input.refine(
      hasWhatItNeeds,
      'is missing milliseconds, status, bytesPerSecond or seconds, which this kind requires',
    ),
    status: 201,
    reply: fault,
  },
  addPreset: {
    summary: 'Add the faults of a preset.',
    request: z.strictObject({ preset: z.enum(presets), ...which, seed: z.int().min(0).optional() }),
    status: 201,
    reply: z.strictObject({ faults: z.array(fault) }),
  },
  remove: { summary: 'Remove a fault.', reply: removed },
  clear: {
    summary: 'Remove all faults, or those of a project.',
    request: z.object({ project: z.string().optional() }),
    reply: z.strictObject({ count: z.int() }),
  },
} satisfies OperationsOf<typeof operations.faults>

function hasWhatItNeeds(given: z.output<typeof input>): boolean {
  const { kind, milliseconds, status, bytesPerSecond, seconds } = given
  if (kind === 'latency') return milliseconds !== undefined
  if (kind === 'status') return status !== undefined
  if (kind === 'slow') return bytesPerSecond !== undefined
  return kind !== 'flap' || seconds !== undefined
}
