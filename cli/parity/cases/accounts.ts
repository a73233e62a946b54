/** Users: sign-up, login, the own user, and lists of users. */
import type { Json } from '../../../client/protocol/model/json.js'
import { type Look, type ParityCase, type Step, sharedFields } from '../case.js'

export const password = 'Correct4Horse!'

const signUp: Step = {
  method: 'POST',
  path: '/auth-collections/signup',
  body: { email: '{email}', password, data: { name: 'Ada' } },
}
/** A user of the case, since it changes. */
const signedUp: Step = { ...signUp, bind: 'token' }
const logIn = (email: string, secret: string): Step => ({
  method: 'POST',
  path: '/auth-collections/login',
  body: { email, password: secret },
})
const asUser = (method: string, path: string, body?: Json): Step => ({
  ...{ method, path, as: 'user' },
  ...(body === undefined ? {} : { body }),
})

const cases: readonly (readonly [id: string, steps: readonly Step[], compare: readonly Look[], change?: string])[] = [
  ['session.sign-up', [signUp], ['status', 'session']],
  ['session.login', [logIn('{user}', password)], ['session']],
  ['document.user', [asUser('GET', '/auth-collections/user')], ['document'], sharedFields],
  [
    'two_factor.login',
    [
      signedUp,
      { method: 'POST', path: '/auth/2fa/enable', body: {}, as: 'user', bind: 'secret' },
      { method: 'POST', path: '/auth/2fa/verify', body: { code: '{code}' }, as: 'user' },
      logIn('{email}', password),
    ],
    ['outcome'],
    'Expect both a 403 and an answer with requires_2fa.',
  ],
  ['accounts.sign-up-then-login', [signUp, logIn('{email}', password)], ['outcome']],
  ['accounts.email-taken', [signUp, signUp], ['status'], 'Treat 400 and 409 alike.'],
  ['accounts.email-in-capitals', [logIn('{loudUser}', password)], ['outcome'], 'Write addresses in small letters.'],
  [
    'accounts.email-invalid',
    [{ ...signUp, body: { email: 'ada', password } }],
    ['outcome'],
    'Check the address first.',
  ],
  [
    'accounts.password-weak',
    [{ ...signUp, body: { email: '{email}', password: 'short' } }],
    ['outcome'],
    'Check passwords in the app.',
  ],
  ['accounts.password-missing', [{ ...signUp, body: { email: '{email}' } }], ['outcome']],
  ['accounts.password-wrong', [logIn('{user}', 'Wrong5Horses!')], ['status'], 'Treat 400 and 401 alike.'],
  ['accounts.email-unknown', [logIn('{email}', password)], ['status'], 'Treat 400, 401 and 404 alike.'],
  [
    'accounts.roles-at-sign-up',
    [{ ...signUp, body: { email: '{email}', password, roles: ['editor'] } }],
    ['outcome'],
    'Never let the app set roles.',
  ],
  ['accounts.user', [asUser('GET', '/auth-collections/user')], ['outcome']],
  ['accounts.me', [asUser('GET', '/auth-collections/me')], ['outcome'], 'Ask GET /auth-collections/user.'],
  [
    'accounts.update',
    [
      signedUp,
      asUser('PATCH', '/auth-collections/user', { data: { city: 'Bern' } }),
      asUser('GET', '/auth-collections/user'),
    ],
    ['outcome'],
  ],
  [
    'accounts.update-roles',
    [signedUp, asUser('PATCH', '/auth-collections/user', { roles: ['admin'] })],
    ['outcome'],
    'Never let the app set roles.',
  ],
  [
    'accounts.append',
    [signedUp, asUser('PATCH', '/auth-collections/user', { $append: { likes: ['tea'] } })],
    ['outcome'],
    'Read the array, change it in the app, and write the whole array.',
  ],
  [
    'accounts.append-inside-data',
    [
      signedUp,
      asUser('PATCH', '/auth-collections/user', { data: { $append: { likes: ['tea'] } } }),
      asUser('GET', '/auth-collections/user'),
    ],
    ['fields'],
    'Put $append and $remove beside "data".',
  ],
  [
    'accounts.upload-without-key',
    [
      signedUp,
      {
        ...{ method: 'PATCH', path: '/auth-collections/user', as: 'token' },
        form: { data: '{"data":{"city":"Bern"}}', photo: { file: 'parity.txt', text: 'Tea' } },
      },
    ],
    ['outcome'],
    'Send the key beside the token.',
  ],
  ['accounts.user-without-token', [{ method: 'GET', path: '/auth-collections/user' }], ['status']],
  [
    'accounts.bad-token',
    [{ method: 'GET', path: '/auth-collections/user', headers: { authorization: 'Bearer bad' } }],
    ['status'],
  ],
  [
    'accounts.logout',
    [signedUp, { method: 'POST', path: '/auth-collections/logout', as: 'user' }],
    ['outcome'],
    'Forget the token in the app.',
  ],
  [
    'accounts.reset-request',
    [{ method: 'POST', path: '/auth/request-password-reset', body: { email: '{email}' } }],
    ['outcome'],
    'Use POST /auth-collections/forgot-password.',
  ],
  ['users.list', [{ method: 'GET', path: '/auth-collections/users?limit=1' }], ['list']],
  [
    'users.list-empty',
    [{ method: 'GET', path: '/auth-collections/users?limit=1&email=nobody%40example.invalid' }],
    ['list'],
  ],
  ['users.missing', [{ method: 'GET', path: '/auth-collections/users/nobody' }], ['status']],
]

export const accountCases: readonly ParityCase[] = cases.map(([id, steps, compare, change]) => ({
  ...{ id, steps, compare },
  axis: id.slice(0, id.indexOf('.')),
  needs: id.startsWith('users.') ? [] : (['users'] as const),
  ...(change === undefined ? {} : { change }),
}))
