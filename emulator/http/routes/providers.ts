import { z } from 'zod'
import { finishAppLogin, finishLogin, logInWithIdToken, startAppLogin, startLogin } from '../../core/provider-logins.js'
import { strictBody } from '../body-forms.js'
import { allParameters } from '../read-list.js'
import { route } from '../route.js'

const appLogin = strictBody(
  z.strictObject({
    redirectUrl: z.string().optional(),
    scopes: z.union([z.array(z.string()), z.string().transform((text) => text.split(/[\s,]+/))]).optional(),
  }),
)

/** What the provider sent to the app's page. */
const cameBack = strictBody(
  z.strictObject({ code: z.string(), state: z.string().optional(), iss: z.string().optional() }),
)

/** Spec, "Authentication" 7; contract 7. */
export const providerRoutes = [
  route({
    id: 'providers.logIn',
    summary: 'The address at the identity provider to send the browser to.',
    method: 'get',
    paths: { any: ['/auth-collections/login-idp', '/login-idp'] },
    needs: 'key',
    reply: 'loginUrl',
    handle: (ctx) => startLogin(ctx),
  }),
  route({
    id: 'providers.finish',
    summary: 'Where the provider sends the browser back to; it is sent on to the page of the app.',
    method: 'get',
    paths: { any: ['/auth-collections/auth-idp-redirect/:project'] },
    needs: 'public',
    query: allParameters({
      code: 'The authorization code.',
      state: 'The state that the browser left with.',
      error: 'Why there is no code.',
    }),
    status: 302,
    reply: 'redirect',
    handle: (backend, { params, query }) => finishLogin(backend, params.project, query),
  }),
  route({
    id: 'providers.url',
    summary: 'The address at a named provider, for an app that takes the code itself.',
    method: 'post',
    paths: { any: ['/auth/oauth/:provider/url'] },
    needs: 'key',
    body: appLogin,
    reply: 'appLoginUrl',
    handle: (ctx, { params, body }) => startAppLogin(ctx, params.provider, body),
  }),
  route({
    id: 'providers.callback',
    summary: 'Log in with the code that the provider sent to the app.',
    method: 'post',
    paths: { any: ['/auth/oauth/:provider/callback'] },
    needs: 'key',
    body: cameBack,
    reply: 'login',
    async handle(ctx, { params, body }) {
      const given = Object.entries(body).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return { login: await finishAppLogin(ctx, params.provider, new URLSearchParams(given)) }
    },
  }),
  route({
    id: 'providers.token',
    summary: 'Log in with an ID token of a named provider.',
    method: 'post',
    paths: { any: ['/auth/oauth/:provider/token'] },
    needs: 'key',
    body: strictBody(
      z.strictObject({
        idToken: z.string(),
        platform: z.enum(['web', 'ios', 'android']).default('web'),
        nonce: z.string().optional(),
      }),
    ),
    reply: 'login',
    handle: async (ctx, { params, body }) => ({ login: await logInWithIdToken(ctx, params.provider, body) }),
  }),
]
