import { z } from 'zod'
import { SvcError } from '../../../client/protocol/model/errors.js'
import type { JsonObject } from '../../../client/protocol/model/json.js'
import { isLoopbackUrl } from '../../../client/protocol/model/loopback.js'
import { type ProviderFault, providerFaults } from '../../../client/protocol/model/provider-login.js'
import type { Backend } from '../../core/context.js'
import { requireProject } from '../../core/projects/projects.js'
import { startLogin } from '../../core/providers/provider-logins.js'
import { anyFields, strictBody } from '../request/body-forms.js'
import { namedQuery } from '../request/read-list.js'
import { route } from '../route.js'

const fields = {
  name: z.string().max(255),
  email: z.string().max(255).nullable(),
  emailVerified: z.boolean(),
  claims: anyFields,
}
const id = z
  .string()
  .max(255)
  .regex(/^[\w.@+-]+$/, 'is not the name of an account')

const newAccount = z.strictObject({
  id,
  name: fields.name.optional(),
  email: fields.email.optional(),
  emailVerified: fields.emailVerified.default(true),
  claims: fields.claims.default({}),
})

const faultNames = Object.keys(providerFaults) as [ProviderFault, ...ProviderFault[]]

/** Contract 11: the accounts of the built-in provider, and how its next logins fail. */
export const idpRoutes = [
  route({
    id: 'control.idp.accounts.list',
    summary: 'The accounts of the built-in provider.',
    method: 'get',
    paths: { any: ['/_svc/api/idp/accounts'] },
    needs: 'control',
    reply: 'plain',
    handle: async (backend) => ({ accounts: (await local(backend).accounts.list()) as unknown as JsonObject[] }),
  }),
  route({
    id: 'control.idp.accounts.add',
    summary: 'Add an account.',
    method: 'post',
    paths: { any: ['/_svc/api/idp/accounts'] },
    needs: 'control',
    body: strictBody(newAccount),
    status: 201,
    reply: 'plain',
    async handle(backend, { body: { name, email, ...rest } }) {
      const account = { name: name ?? rest.id, email: email === undefined ? `${rest.id}@example.com` : email, ...rest }
      return (await local(backend).accounts.add(account)) as unknown as JsonObject
    },
  }),
  route({
    id: 'control.idp.accounts.change',
    summary: 'Change an account.',
    method: 'patch',
    paths: { any: ['/_svc/api/idp/accounts/:account'] },
    needs: 'control',
    body: strictBody(z.strictObject(fields).partial()),
    reply: 'plain',
    async handle(backend, { params, body }) {
      const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      return (await local(backend).accounts.change(params.account, changes)) as unknown as JsonObject
    },
  }),
  route({
    id: 'control.idp.accounts.remove',
    summary: 'Remove an account.',
    method: 'delete',
    paths: { any: ['/_svc/api/idp/accounts/:account'] },
    needs: 'control',
    reply: 'plain',
    async handle(backend, { params }) {
      await local(backend).accounts.remove(params.account)
      return { id: params.account }
    },
  }),
  route({
    id: 'control.idp.faults.list',
    summary: 'How the next logins fail.',
    method: 'get',
    paths: { any: ['/_svc/api/idp/faults'] },
    needs: 'control',
    reply: 'plain',
    handle: (backend) => shownFaults(backend),
  }),
  route({
    id: 'control.idp.faults.set',
    summary: 'Let the next logins fail: once, some times, or until told otherwise (null).',
    method: 'put',
    paths: { any: ['/_svc/api/idp/faults'] },
    needs: 'control',
    body: strictBody(
      z.strictObject({
        fault: z.enum(faultNames),
        times: z.int().min(1).nullable().default(1),
        client: z.string().min(1).optional(),
      }),
    ),
    reply: 'plain',
    handle(backend, { body }) {
      local(backend).faults.set(body)
      return shownFaults(backend)
    },
  }),
  route({
    id: 'control.idp.faults.clear',
    summary: 'Let logins work again: all, or those of a client.',
    method: 'delete',
    paths: { any: ['/_svc/api/idp/faults'] },
    needs: 'control',
    query: namedQuery({ client: 'Id of a client; left out, all.' }),
    reply: 'plain',
    handle(backend, { query: { client } }) {
      local(backend).faults.clear(client)
      return shownFaults(backend)
    },
  }),
  route({
    id: 'control.idp.logins.start',
    summary: 'Start a login that ends on a page of this machine.',
    method: 'post',
    paths: { any: ['/_svc/api/idp/logins'] },
    needs: 'control',
    body: strictBody(
      z.strictObject({
        project: z.string(),
        provider: z.string().optional(),
        completeUrl: z.string().refine(isLoopbackUrl, { error: 'is no address of this machine' }),
      }),
    ),
    status: 201,
    reply: 'plain',
    async handle(backend, { body: { project, provider, completeUrl } }) {
      const scope = { backend, db: backend.db, project: await requireProject(backend, project) }
      return { url: await startLogin(scope, { completeUrl, ...(provider === undefined ? {} : { provider }) }) }
    },
  }),
]

function shownFaults(backend: Backend): JsonObject {
  return { faults: local(backend).faults.list() as unknown as JsonObject[] }
}

function local({ localProvider }: Backend): NonNullable<Backend['localProvider']> {
  if (localProvider) return localProvider
  throw new SvcError('NOT_FOUND', 'There is no built-in identity provider here.')
}
