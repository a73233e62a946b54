import { z } from 'zod'
import {
  finishAppLogin,
  finishLogin,
  logInWithIdToken,
  setOut,
  startAppLogin,
  startLogin,
} from '../../core/providers/provider-logins.js'
import { formBody, strictBody } from '../request/body-forms.js'
import { allParameters, namedQuery, textQuery } from '../request/read-list.js'
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

/** What a provider's form may say. RFC 6749 4.1.2; `user` is Apple's. */
const formFields = ['code', 'state', 'iss', 'error', 'error_description', 'user'] as const

/** Spec, "Authentication" 7; contract 7. */
export const providerRoutes = [
  route({
    id: 'providers.logIn',
    summary: 'The address at the identity provider to send the browser to.',
    method: 'get',
    paths: { any: ['/auth-collections/login-idp', '/login-idp'] },
    needs: 'key',
    // It may end with a new user.
    scope: 'write',
    query: namedQuery({
      returnTo: 'The page on which the login ends: of an allowed origin. Left out, IDP_COMPLETE_URL.',
    }),
    reply: 'loginUrl',
    // Browsers say one of the two at least. What says neither is a server or a script: one of another machine could finish a
    // login of its own in somebody else's browser.
    handle: (ctx, { query: { returnTo }, headers, isLocal }) =>
      startLogin(ctx, {
        returnTo,
        isBound: !isLocal || headers.origin !== undefined || headers['sec-fetch-site'] !== undefined,
      }),
  }),
  route({
    id: 'providers.start',
    summary: 'Where a browser sets out for the provider: the same one has to come back.',
    method: 'get',
    paths: { any: ['/auth-collections/auth-idp-redirect/:project/start'] },
    needs: 'public',
    query: textQuery('state', 'The state of the login.'),
    isNavigation: true,
    status: 302,
    reply: 'redirect',
    handle: (backend, { params, query: state, headers }) =>
      setOut(backend, params.project, { state, cookies: headers.cookie }),
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
    isNavigation: true,
    status: 302,
    reply: 'redirect',
    handle: (backend, { params, query, headers }) =>
      finishLogin(backend, params.project, { parameters: query, cookies: headers.cookie }),
  }),
  route({
    id: 'providers.finishByForm',
    summary: 'The same for providers that post a form: the browser is sent on to the address with a query.',
    method: 'post',
    paths: { any: ['/auth-collections/auth-idp-redirect/:project'] },
    needs: 'public',
    body: formBody(formFields),
    isNavigation: true,
    status: 303,
    reply: 'redirect',
    // A browser keeps its cookie to itself when another site posts, and shows it when it follows this.
    handle: (_backend, { body }) => `?${new URLSearchParams(Object.entries(body).filter(([, text]) => text !== ''))}`,
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
