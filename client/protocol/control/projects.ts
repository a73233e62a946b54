import { z } from 'zod'
import { createOnWriteChoices } from '../model/create-on-write.js'
import { SvcError } from '../model/errors.js'
import { rateLimitWords, tiers } from '../model/limits.js'
import { originForm, originProblem, type ProjectSettings } from '../model/project.js'
import { parseDialect } from '../wire/dialects.js'
import { listedKey } from './access/keys.js'
import { limited, type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

const requests = z.int().min(0).optional()
const takesRateLimit = { error: `must be ${rateLimitWords}` }
const rateLimit = z.union(
  [
    z.literal('off'),
    z.array(z.enum(['minute', 'hour', 'day'])),
    z.strictObject({ minute: requests, hour: requests, day: requests }, takesRateLimit),
  ],
  takesRateLimit,
)

/** Settings except `idp`, which have the same form in requests and replies. */
export const shownSettings = {
  dialect: z.string().refine(isDialect, { error: 'is not a dialect' }),
  allowedOrigins: z.array(z.string().regex(originForm, originProblem)),
  rateLimit,
  tier: z.enum(tiers),
  selfRoles: z.union([z.array(z.string().min(1)), z.literal('any')]),
  trustDataRole: z.boolean(),
  require2fa: z.boolean(),
  requireVerifiedEmail: z.boolean(),
  loginThrottle: z.enum(['account', 'address']),
  tokenTtl: z
    .int()
    .min(1)
    .max(366 * 86_400),
  appUrl: z.url({ protocol: /^https?$/ }).nullable(),
  fileTypes: z.enum(['any', 'listed']),
  documentFiles: z.enum(['fixed', 'tier']),
  inlineFiles: z.enum(['safe', 'any']),
  createOnWrite: z.enum(createOnWriteChoices).nullable(),
  requestLog: z.boolean(),
} satisfies { readonly [Name in Exclude<keyof ProjectSettings, 'idp'>]: z.ZodType<ProjectSettings[Name]> }

const settings = z
  .strictObject({
    ...shownSettings,
    idp: z
      .record(z.string().regex(/^IDP_[A-Z0-9_]+$/, 'is not a valid provider key'), z.string())
      .describe('Other keys stay as they are. An empty value removes a key.'),
  })
  .partial()

export type GivenSettings = z.input<typeof settings>

const project = {
  id: z.string(),
  name: z.string(),
  settings: z.strictObject({
    ...shownSettings,
    idp: z.array(z.string()).describe('Names of the keys that are set. Their secret values are never shown.'),
  }),
}

/** Projects, for example one per test. Contract 11. */
export const projects = {
  create: {
    summary: 'Create a project with a public and a secret key.',
    request: z.strictObject({ name: z.string().min(1).max(255).optional(), settings: settings.optional() }),
    status: 201,
    reply: z.strictObject({ id: z.string(), apiKey: z.string(), secretKey: z.string() }),
  },
  list: {
    summary: 'List projects by id. Ids of this service sort by creation time.',
    request: z.object({
      after: z.string().optional().describe('Id of a project. Lists only projects after it.'),
      limit: limited('projects'),
    }),
    reply: z.strictObject({
      projects: z.array(z.strictObject({ id: z.string(), name: z.string(), createdAt: z.string() })),
      next: z.string().nullable().describe('Value of `after` for the next page; null on the last page.'),
    }),
  },
  get: {
    summary: 'Get a project with its settings and keys, without secrets.',
    reply: z.strictObject({
      ...project,
      keys: z.array(listedKey),
    }),
  },
  update: {
    summary: 'Change settings of a project.',
    request: z.strictObject({ settings }),
    reply: z.strictObject(project),
  },
  reset: {
    summary: 'Delete everything in a project, or selected parts. Keys and settings stay.',
    request: z.strictObject({
      collections: z.array(z.string()).min(1).optional().describe('Collections whose documents are deleted.'),
      users: z.literal(true).optional().describe('All users, with their sessions and files.'),
      files: z.literal(true).optional().describe('Standalone files.'),
      mail: z.literal(true).optional(),
    }),
    reply: z.strictObject({
      collections: z.array(z.strictObject({ name: z.string(), documents: z.int() })),
      users: z.int(),
      files: z.int(),
      mails: z.int(),
    }),
  },
  remove: {
    summary:
      'Delete a project with its data, keys, files and snapshots. The project that the emulator runs for cannot be deleted.',
    reply: removed,
  },
} satisfies OperationsOf<typeof operations.projects>

function isDialect(text: string): boolean {
  try {
    parseDialect(text)
    return true
  } catch (error) {
    if (error instanceof SvcError) return false
    throw error
  }
}
