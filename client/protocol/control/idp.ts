import { z } from 'zod'
import { isLoopbackUrl } from '../model/loopback.js'
import {
  type HopKind,
  hopKinds,
  type LoginFlow,
  loginFailures,
  type ProviderFault,
  providerFaults,
  type StandingFault,
} from '../model/provider-login.js'
import { anyFields, type OperationsOf, removed } from './operation.js'
import type { operations } from './operations.js'

const fields = {
  name: z.string().max(255),
  email: z.string().max(255).nullable(),
  emailVerified: z.boolean(),
  claims: anyFields,
}
const id = z
  .string()
  .max(255)
  .regex(/^[\w.@+-]+$/, 'is not a valid account id: use letters a to z, digits, ".", "_", "@", "+" and "-"')
const account = z.strictObject({ id: z.string(), ...fields })

const fault = z.enum(Object.keys(providerFaults) as [ProviderFault, ...ProviderFault[]])
const standingFault = z.strictObject({
  fault,
  times: z.int().nullable().describe('Number of logins; null for all.'),
  client: z.string().optional().describe('Id of the client whose logins fail. Default: all.'),
}) satisfies z.ZodType<StandingFault>
const faults = z.strictObject({ faults: z.array(standingFault) })

const shown = z.record(z.string(), z.string())
const flow = z.strictObject({
  id: z.string(),
  at: z.string(),
  project: z.string(),
  provider: z.string(),
  outcome: z
    .enum(['succeeded', ...loginFailures])
    .nullable()
    .describe('null until the browser returns.'),
  hops: z.array(
    z.strictObject({
      kind: z.enum(Object.keys(hopKinds) as [HopKind, ...HopKind[]]),
      from: z.enum(['browser', 'service']),
      to: z.enum(['service', 'provider', 'app']),
      method: z.string(),
      url: z.string().describe('URL without the query, which is in `request`.'),
      at: z.string(),
      milliseconds: z.number().nullable(),
      status: z.int().nullable().describe('null until the response, and if another server responds.'),
      request: shown.describe('Secrets, codes and tokens are replaced by "…" with their length.'),
      answer: shown,
      claims: shown.nullable().describe('Claims of the ID token or the profile.'),
    }),
  ),
}) satisfies z.ZodType<LoginFlow>

/** Built-in identity provider: accounts, faults of upcoming logins, and recent logins hop by hop. Contract 11. */
export const idp = {
  accounts: {
    list: {
      summary: 'List the accounts of the built-in provider.',
      reply: z.strictObject({ accounts: z.array(account) }),
    },
    add: {
      summary: 'Add an account.',
      request: z.strictObject({
        id,
        name: fields.name.optional(),
        email: fields.email.optional(),
        emailVerified: fields.emailVerified.default(true),
        claims: fields.claims.default({}),
      }),
      status: 201,
      reply: account,
    },
    change: { summary: 'Change an account.', request: z.strictObject(fields).partial(), reply: account },
    remove: { summary: 'Remove an account.', reply: removed },
  },
  faults: {
    list: { summary: 'List the faults of upcoming logins.', reply: faults },
    set: {
      summary: 'Make the next logins fail: once, several times, or until cleared (null).',
      request: z.strictObject({
        fault,
        times: z.int().min(1).nullable().default(1),
        client: z.string().min(1).optional(),
      }),
      reply: faults,
    },
    clear: {
      summary: 'Make logins work again: all, or those of a client.',
      request: z.object({ client: z.string().optional().describe('Id of a client. Default: all.') }),
      reply: faults,
    },
  },
  logins: {
    start: {
      summary: 'Start a login that ends on a page of this machine.',
      request: z.strictObject({
        project: z.string(),
        provider: z.string().optional(),
        completeUrl: z.string().refine(isLoopbackUrl, { error: 'is not a URL on this machine' }),
      }),
      status: 201,
      reply: z.strictObject({ url: z.string() }),
    },
  },
  flows: {
    list: {
      summary: 'List recent logins through a provider, hop by hop, newest first.',
      request: z.object({ project: z.string().optional().describe('Default: all.') }),
      reply: z.strictObject({ flows: z.array(flow) }),
    },
  },
} satisfies OperationsOf<typeof operations.idp>
