import { z } from 'zod'
import { anyFields } from '../../../client/protocol/control/operation.js'
import { objectIn } from '../../../client/protocol/model/json.js'
import { axes } from '../../../client/protocol/wire/axes.js'
import { decodeChanges } from '../../../client/protocol/wire/body/decode.js'
import { getMe, getUser, listUsers, signUp, updateMe } from '../../core/accounts/accounts.js'
import { changePassword } from '../../core/accounts/password-change.js'
import { logIn, logInWithCode } from '../../core/logins/logins.js'
import { logOut, refreshSession } from '../../core/logins/sessions.js'
import { strictBody } from '../request/body-forms.js'
import { accountForm, signUpForm } from '../request/file-forms.js'
import { placesOfOperators } from '../request/issue-places.js'
import { listQuery, recordQuery } from '../request/read-list.js'
import { type BodyForm, route } from '../route.js'

const signUpBody = strictBody(
  z.strictObject({
    email: z.string(),
    password: z.string(),
    data: anyFields.optional(),
    roles: z.array(z.string().min(1)).optional(),
    phone_number: z.string().nullable().optional().describe('Accepted for the deployed client, and not stored.'),
  }),
)

const accountChanges = strictBody(
  z.strictObject({
    data: anyFields.optional(),
    $append: anyFields.optional(),
    $remove: anyFields.optional(),
    email: z.string().optional(),
    password: z.string().optional(),
    currentPassword: z.string().optional(),
  }),
)

/** Accepts array operators next to `data` or inside it, as for documents. Contract 3.3. */
const changesOfAccount: BodyForm<Parameters<typeof updateMe>[1]> = {
  schema: accountChanges.schema,
  async read(dialect, body) {
    const { user } = axes.refusals[dialect.refusals].operators
    const { email, password, currentPassword, data = {}, ...operators } = await accountChanges.read(dialect, body)
    return {
      email,
      password,
      currentPassword,
      data: decodeChanges({ body: 'either', operators: user }, { data, ...operators }),
    }
  },
  places: (_dialect, { data }) => placesOfOperators(objectIn(data)),
}

/** Spec, "Authentication of app users". */
export const accountRoutes = [
  route({
    id: 'accounts.signUp',
    summary: 'Sign up with an email and a password.',
    method: 'post',
    paths: { any: ['/auth-collections/signup', '/auth/register'] },
    needs: 'key',
    body: signUpBody,
    form: signUpForm,
    reply: 'signUp',
    handle: (ctx, { body: { data = {}, roles = [], phone_number: _, ...credentials }, uploads, address }) =>
      signUp(ctx, { ...credentials, data, roles }, { clientAddress: address, uploads }),
  }),
  route({
    id: 'accounts.logIn',
    summary: 'Log in with an email and a password.',
    method: 'post',
    paths: { any: ['/auth-collections/login'] },
    needs: 'key',
    scope: 'none',
    body: strictBody(z.strictObject({ email: z.string(), password: z.string() })),
    reply: 'login',
    handle: (ctx, { body, address }) => logIn(ctx, body, address),
  }),
  route({
    id: 'accounts.logInWithCode',
    summary: 'Finish a login with a code, within five minutes of the password.',
    method: 'post',
    paths: { any: ['/auth-collections/verify-2fa-login', '/auth-collections/2fa/verify'] },
    needs: 'key',
    scope: 'none',
    body: strictBody(z.strictObject({ email: z.string(), code: z.string() })),
    reply: 'login',
    handle: async (ctx, { body, address }) => ({ login: await logInWithCode(ctx, body, address) }),
  }),
  route({
    id: 'accounts.me',
    summary: 'Get the user of the token.',
    method: 'get',
    paths: { any: ['/auth-collections/me'] },
    needs: 'user',
    scope: 'none',
    reply: 'user',
    handle: (ctx) => getMe(ctx),
  }),
  route({
    id: 'accounts.user',
    summary: 'Get the user of the token, with linked records instead of ids.',
    method: 'get',
    paths: { any: ['/auth-collections/user'] },
    needs: 'user',
    scope: 'none',
    query: recordQuery,
    reply: 'user',
    handle: (ctx, { query }) => getMe(ctx, query),
  }),
  route({
    id: 'accounts.update',
    summary: "Change the user's own data, email or password.",
    method: 'patch',
    paths: { any: ['/auth-collections/user'] },
    needs: 'user',
    body: changesOfAccount,
    form: accountForm,
    reply: 'user',
    handle: (ctx, { body, uploads }) => updateMe(ctx, body, uploads),
  }),
  route({
    id: 'accounts.logOut',
    summary: 'End the session of the token.',
    method: 'post',
    paths: { any: ['/auth-collections/logout'] },
    needs: 'user',
    scope: 'none',
    reply: 'message',
    async handle(ctx) {
      await logOut(ctx)
      return 'You are logged out.'
    },
  }),
  route({
    id: 'accounts.refresh',
    summary: 'Get a new token for the same session.',
    method: 'post',
    paths: { any: ['/auth-collections/refresh'] },
    needs: 'user',
    scope: 'none',
    reply: 'token',
    handle: (ctx) => refreshSession(ctx),
  }),
  route({
    id: 'accounts.changePassword',
    summary: 'Change the password. All other sessions end.',
    method: 'post',
    paths: { any: ['/auth/change-password'] },
    needs: 'user',
    body: strictBody(z.strictObject({ oldPassword: z.string(), newPassword: z.string() })),
    reply: 'message',
    async handle(ctx, { body }) {
      await changePassword(ctx, body)
      return 'Your password was changed.'
    },
  }),
  route({
    id: 'users.list',
    summary: 'List users, filtered, sorted and paged.',
    method: 'get',
    paths: { any: ['/auth-collections/users'] },
    needs: 'key',
    query: listQuery,
    reply: 'users',
    handle: (ctx, { query }) => listUsers(ctx, query),
  }),
  route({
    id: 'users.get',
    summary: 'Get a user.',
    method: 'get',
    paths: { any: ['/auth-collections/users/:id'] },
    needs: 'key',
    query: recordQuery,
    reply: 'user',
    handle: (ctx, { params, query }) => getUser(ctx, params.id, query),
  }),
]
