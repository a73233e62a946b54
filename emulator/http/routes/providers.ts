import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { anyFields } from '../../../client/protocol/control/operation.js'
import {
  finishAppLogin,
  finishLogin,
  logInWithIdToken,
  setOut,
  startAppLogin,
  startLogin,
} from '../../core/providers/provider-logins.js'
import { recordHandover, recordRedirect, recordStart } from '../login-hops.js'
import { formBody, strictBody } from '../request/body-forms.js'
import { allParameters, namedQuery, textQuery } from '../request/read-list.js'
import { route } from '../route.js'

/** Remembers where the login should lead afterwards. */
const appLogin = strictBody(
  z.strictObject({
    redirectUrl: z.string().max(2_000).optional(),
    scopes: z
      .union([
        z.array(z.string().max(200)).max(50),
        z
          .string()
          .max(2_000)
          .transform((text) => text.split(/[\s,]+/)),
      ])
      .optional(),
  }),
)

/** The values that the provider sent to the app's page. */
const cameBack = strictBody(
  z.strictObject({
    code: z.string().max(4_000),
    state: z.string().max(1_000).optional(),
    iss: z.string().max(2_000).optional(),
  }),
)

/** The fields that a provider may post. RFC 6749 4.1.2; `user` is Apple's. */
const formFields = ['code', 'state', 'iss', 'error', 'error_description', 'user'] as const

const callbackPath = '/auth-collections/auth-idp-redirect'

/**
 * Whether only the browser that began a login may finish it. Browsers send at least one of the two headers. A client that sends
 * neither is a server or script. One on another machine could otherwise finish its own login in another person's browser.
 */
function isBoundToBrowser({ headers, isLocal }: { headers: IncomingHttpHeaders; isLocal: boolean }): boolean {
  return !isLocal || headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}

/** Spec, "Authentication" 7; contract 7. */
export const providerRoutes = [
  route({
    id: 'providers.logIn',
    summary: 'Get the address at the identity provider to send the browser to.',
    method: 'get',
    paths: { any: ['/auth-collections/login-idp', '/login-idp'] },
    needs: 'key',
    // May create a new user.
    scope: 'write',
    query: namedQuery({
      returnTo: 'The page to return to after the login, on an allowed origin. Defaults to IDP_COMPLETE_URL.',
    }),
    reply: 'loginUrl',
    handle(ctx, { query: { returnTo }, ...asked }) {
      const request = returnTo === undefined ? [] : [['returnTo', returnTo] as const]
      const starting = startLogin(ctx, { returnTo, isBound: isBoundToBrowser(asked) })
      return recordStart(ctx, { method: 'GET', path: '/login-idp', request }, starting)
    },
  }),
  route({
    id: 'providers.logInWithGoogle',
    summary: 'Get the address at the provider "google" to send the browser to.',
    method: 'get',
    paths: { any: ['/auth-collections/login-google'] },
    needs: 'key',
    // May create a new user.
    scope: 'write',
    reply: 'loginUrl',
    handle: (ctx, asked) =>
      recordStart(
        ctx,
        { provider: 'google', method: 'GET', path: '/auth-collections/login-google', request: [] },
        startLogin(ctx, { provider: 'google', isBound: isBoundToBrowser(asked) }),
      ),
  }),
  route({
    id: 'providers.start',
    summary: 'Send the browser to the provider. The same browser has to return.',
    method: 'get',
    paths: { any: ['/auth-collections/auth-idp-redirect/:project/start'] },
    needs: 'public',
    query: textQuery('state', 'The state of the login.'),
    isNavigation: true,
    status: 302,
    reply: 'redirect',
    handle: (backend, { params: { project }, query: state, headers }) =>
      recordRedirect(
        backend,
        { kind: 'depart', path: `${callbackPath}/${project}/start`, parameters: new URLSearchParams({ state }) },
        () => setOut(backend, project, { state, cookies: headers.cookie }),
      ),
  }),
  route({
    id: 'providers.finish',
    summary: 'Receive the browser from the provider, and send it to the page of the app.',
    method: 'get',
    paths: { any: ['/auth-collections/auth-idp-redirect/:project'] },
    needs: 'public',
    query: allParameters({
      code: 'The authorization code.',
      state: 'The state that the login began with.',
      error: 'The reason for a missing code.',
    }),
    isNavigation: true,
    status: 302,
    reply: 'redirect',
    handle: (backend, { params: { project }, query: parameters, headers }) =>
      recordRedirect(backend, { kind: 'callback', path: `${callbackPath}/${project}`, parameters }, () =>
        finishLogin(backend, project, { parameters, cookies: headers.cookie }),
      ),
  }),
  route({
    id: 'providers.finishByForm',
    summary: 'Receive the browser from a provider that posts a form, and redirect it with a query instead.',
    method: 'post',
    paths: { any: ['/auth-collections/auth-idp-redirect/:project'] },
    needs: 'public',
    body: formBody(formFields),
    isNavigation: true,
    status: 303,
    reply: 'redirect',
    // The browser withholds its cookie from a cross-site post, but sends it when it follows this redirect.
    handle: (_backend, { body }) => `?${new URLSearchParams(Object.entries(body).filter(([, text]) => text !== ''))}`,
  }),
  route({
    id: 'providers.url',
    summary: 'Get the address at a named provider, for an app that receives the code itself.',
    method: 'post',
    paths: { any: ['/auth/oauth/:provider/url'] },
    needs: 'key',
    body: appLogin,
    reply: 'appLoginUrl',
    async handle(ctx, { params: { provider }, body, ...asked }) {
      const request = body.redirectUrl === undefined ? [] : [['redirect_uri', body.redirectUrl] as const]
      const starting = startAppLogin(ctx, provider, { ...body, isBound: isBoundToBrowser(asked) })
      const start = { provider, method: 'POST', path: `/auth/oauth/${provider}/url`, request }
      await recordStart(
        ctx,
        start,
        starting.then(({ url }) => url),
      )
      return starting
    },
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
      const [{ provider }, parameters] = [params, new URLSearchParams(given)]
      const path = `/auth/oauth/${provider}/callback`
      return { login: await recordHandover(ctx, { path, parameters }, () => finishAppLogin(ctx, provider, parameters)) }
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
        idToken: z.string().max(16 * 1024),
        platform: z.enum(['web', 'ios', 'android']).default('web'),
        nonce: z.string().max(1_000).optional(),
      }),
    ),
    reply: 'login',
    handle: async (ctx, { params, body }) => ({ login: await logInWithIdToken(ctx, params.provider, body) }),
  }),
  ...(['google', 'apple'] as const).map((provider) =>
    route({
      id: `providers.verify-${provider}`,
      summary: `Log in with an ID token of the provider "${provider}".`,
      method: 'post',
      paths: { any: [`/auth-collections/${provider}-verify`] },
      needs: 'key',
      body: strictBody(
        z.strictObject({
          id_token: z.string().max(16 * 1024),
          platform: z.enum(['web', 'ios', 'android']).default('web'),
          user: z.union([z.string().max(1_000), anyFields]).optional(),
        }),
      ),
      reply: 'login',
      handle: async (ctx, { body: { id_token: idToken, platform, user } }) => ({
        login: await logInWithIdToken(ctx, provider, {
          ...{ idToken, platform },
          user: typeof user === 'object' ? JSON.stringify(user) : user,
        }),
      }),
    }),
  ),
]
