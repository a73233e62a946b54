import { z } from 'zod'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { JsonObject, Writable } from '../../../client/protocol/model/json.js'
import { rateLimitWords, tiers } from '../../../client/protocol/model/limits.js'
import type { Project, ProjectSettings } from '../../../client/protocol/model/project.js'
import { readDialect } from '../../../client/protocol/wire/dialects.js'
import {
  changeProject,
  createKey,
  createProject,
  listKeys,
  originForm,
  removeKey,
  requireProject,
} from '../../core/projects/projects.js'
import { strictBody } from '../request/body-forms.js'
import { route } from '../route.js'

const requests = z.int().min(0).optional()
const takesRateLimit = { error: `takes ${rateLimitWords}` }
const settings = z.strictObject({
  dialect: z.string().refine(isDialect, { error: 'is not a dialect' }).optional(),
  allowedOrigins: z.array(z.string().regex(originForm, 'is not an origin')).optional(),
  rateLimit: z
    .union(
      [
        z.literal('off'),
        z.array(z.enum(['minute', 'hour', 'day'])),
        z.strictObject({ minute: requests, hour: requests, day: requests }, takesRateLimit),
      ],
      takesRateLimit,
    )
    .optional(),
  tier: z.enum(tiers).optional(),
  selfRoles: z.array(z.string().min(1)).optional(),
  trustDataRole: z.boolean().optional(),
  require2fa: z.boolean().optional(),
  requireVerifiedEmail: z.boolean().optional(),
  loginThrottle: z.enum(['account', 'address']).optional(),
  tokenTtl: z
    .int()
    .min(1)
    .max(366 * 86_400)
    .optional(),
  appUrl: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .optional(),
  fileTypes: z.enum(['any', 'listed']).optional(),
  documentFiles: z.enum(['fixed', 'tier']).optional(),
  idp: z.record(z.string().regex(/^IDP_[A-Z0-9_]+$/, 'is not a key of a provider'), z.string()).optional(),
}) satisfies z.ZodType<Partial<ProjectSettings>>

/** Contract 11. Every test takes a project of its own. */
export const projectRoutes = [
  route({
    id: 'control.projects.create',
    summary: 'Create a project with a public and a secret key.',
    method: 'post',
    paths: { any: ['/_svc/api/projects'] },
    needs: 'control',
    body: strictBody(z.strictObject({ name: z.string().min(1).max(255).optional(), settings: settings.optional() })),
    status: 201,
    reply: 'plain',
    async handle(backend, { body: { name = 'project', settings } }) {
      const { project, apiKey, secretKey } = await createProject(backend, { name, settings })
      return { id: project.id, apiKey, secretKey }
    },
  }),
  route({
    id: 'control.projects.get',
    summary: 'A project with its settings and keys. Secrets are not told.',
    method: 'get',
    paths: { any: ['/_svc/api/projects/:project'] },
    needs: 'control',
    reply: 'plain',
    async handle(backend, { params }) {
      const keys = await listKeys(backend, params.project)
      return { ...shown(await requireProject(backend, params.project)), keys: keys as unknown as Writable }
    },
  }),
  route({
    id: 'control.projects.createKey',
    summary: 'One more key of a project. A secret one is shown this once.',
    method: 'post',
    paths: { any: ['/_svc/api/projects/:project/keys'] },
    needs: 'control',
    body: strictBody(z.strictObject({ secret: z.boolean() })),
    status: 201,
    reply: 'plain',
    handle: async (backend, { params, body }): Promise<Writable> => ({
      ...(await createKey(backend, params.project, body.secret)),
    }),
  }),
  route({
    id: 'control.projects.removeKey',
    summary: 'Take a key away. What was opened with it ends.',
    method: 'delete',
    paths: { any: ['/_svc/api/projects/:project/keys/:key'] },
    needs: 'control',
    reply: 'plain',
    async handle(backend, { params }): Promise<Writable> {
      await removeKey(backend, params.project, params.key)
      return { id: params.key }
    },
  }),
  route({
    id: 'control.projects.update',
    summary: 'Change settings of a project.',
    method: 'patch',
    paths: { any: ['/_svc/api/projects/:project'] },
    needs: 'control',
    body: strictBody(z.strictObject({ settings })),
    reply: 'plain',
    handle: async (backend, { params, body }): Promise<Writable> =>
      shown(await changeProject(backend, params.project, body.settings)),
  }),
]

/** What the providers were told in confidence is never told again. */
function shown({ id, name, settings: { idp, ...settings } }: Project) {
  return { id, name, settings: { ...settings, idp: Object.keys(idp).sort() } as unknown as JsonObject }
}

function isDialect(text: string): boolean {
  try {
    readDialect(text)
    return true
  } catch (error) {
    if (error instanceof SvcError) return false
    throw error
  }
}
