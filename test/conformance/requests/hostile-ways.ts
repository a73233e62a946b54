/** Every request that reads or writes, sent by a hostile user against another user's data, and its status. */
import { type Form, fileOf, formOf, textOf } from '../../fixtures/requests/form.js'
import type { Headers } from '../../fixtures/service.js'

/** Is in all data that the hostile user may not read. */
export const secret = 'S3CRET'

/**
 * The test data, by id: a post and a file of Ada's, a document that only an admin may read, two that hide their title from all,
 * and a link to them. The hostile user may change the other fields of a form.
 */
export interface Targets {
  readonly person: string
  readonly form: string
  readonly post: string
  readonly vault: string
  readonly file: string
  readonly ada: string
  readonly project: string
}

type Statuses = readonly [token: number, key: number, both: number]
type Row = readonly [
  way: string,
  method: string,
  path: (at: Targets) => string,
  Statuses,
  body?: (at: Targets) => unknown,
]

export function bodyOf(body: unknown): { headers?: Headers; content?: string | Buffer } {
  if (body === undefined) return {}
  const isForm = typeof body === 'object' && body !== null && 'headers' in body && 'body' in body
  if (!isForm) return { headers: { 'content-type': 'application/json' }, content: JSON.stringify(body) }
  const { headers, body: content } = body as Form | ReturnType<typeof postedForm>
  return { headers, content }
}

/** Public routes of the control API, which tell nothing of a project: liveness, and where a login ends. */
export const forEverybody: readonly string[] = ['control.health.get', 'control.loginComplete']

const postedForm = (body: string) => ({ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })

const code = () => ({ code: '000000' })

/** A request, and its status for Eve's token, the key with `read:links` and `write:links`, and both. */
export const table: readonly Row[] = [
  ['documents.list vault', 'GET', () => '/collections/vault', [403, 403, 403]],
  ['documents.list posts', 'GET', () => '/collections/posts', [200, 403, 403]],
  [
    'documents.list oracle',
    'GET',
    () => `/collections/posts?title=${secret.slice(0, 3)}&orderBy=title`,
    [200, 403, 403],
  ],
  ['documents.list creator', 'GET', ({ ada }) => `/collections/posts?created_by=${ada}`, [403, 403, 403]],
  ['documents.list populate', 'GET', () => '/collections/links?populate=post&populate=vault', [200, 200, 200]],
  [
    'documents.list related',
    'GET',
    () => '/collections/links?populate=vault&vault.title__contains=S3',
    [200, 200, 200],
  ],
  ['documents.count vault', 'GET', () => '/collections/vault/query/documents/count', [403, 403, 403]],
  [
    'documents.count hidden',
    'GET',
    () => '/collections/people/query/documents/count?title__startswith=S3',
    [403, 403, 403],
  ],
  [
    'documents.aggregate vault',
    'GET',
    () => '/collections/vault/query/documents/aggregate?field=title',
    [403, 403, 403],
  ],
  [
    'documents.aggregate hidden',
    'GET',
    () => '/collections/people/query/documents/aggregate?field=title',
    [403, 403, 403],
  ],
  ['documents.groupBy posts', 'GET', () => '/collections/posts/query/documents/group-by?field=title', [200, 403, 403]],
  [
    'documents.groupBy hidden',
    'GET',
    () => '/collections/people/query/documents/group-by?field=title',
    [403, 403, 403],
  ],
  [
    'documents.groupBy hidden inside',
    'GET',
    () => '/collections/people/query/documents/group-by?field=cards',
    [403, 403, 403],
  ],
  ...['query/schema', 'export', 'export?format=csv'].flatMap((what): Row[] => {
    const way = what === 'query/schema' ? 'documents.describe' : 'documents.export'
    return [
      [`${way} posts ${what}`, 'GET', () => `/collections/posts/${what}`, [200, 403, 403]],
      [`${way} vault ${what}`, 'GET', () => `/collections/vault/${what}`, [403, 403, 403]],
      [`${way} hidden ${what}`, 'GET', () => `/collections/people/${what}`, [200, 200, 200]],
    ]
  }),
  ['documents.export filter', 'GET', () => '/collections/people/export?title__startswith=S3', [403, 403, 403]],
  ['documents.get post', 'GET', ({ post }) => `/collections/posts/${post}`, [404, 403, 403]],
  ['documents.get vault', 'GET', ({ vault }) => `/collections/vault/${vault}`, [403, 403, 403]],
  ['documents.get elsewhere', 'GET', ({ post }) => `/collections/links/${post}`, [404, 404, 404]],
  ['documents.create vault', 'POST', () => '/collections/vault', [403, 403, 403], () => ({})],
  ['documents.createIn vault', 'POST', () => '/collections/documents?collection=vault', [403, 403, 403], () => ({})],
  ['documents.update post', 'PATCH', ({ post }) => `/collections/posts/${post}`, [404, 403, 403], () => ({ n: 0 })],
  [
    'documents.update file',
    'PATCH',
    ({ post }) => `/collections/posts/${post}`,
    [404, 403, 403],
    () => formOf(fileOf('cover')),
  ],
  ['documents.put post', 'PUT', ({ post }) => `/collections/posts/${post}`, [404, 403, 403], () => ({})],
  ['documents.put vault', 'PUT', ({ vault }) => `/collections/vault/${vault}`, [403, 403, 403], () => ({})],
  ['documents.remove post', 'DELETE', ({ post }) => `/collections/posts/${post}`, [404, 403, 403]],
  ['documents.remove elsewhere', 'DELETE', ({ post }) => `/collections/links/${post}`, [404, 404, 404]],
  ['batches.create vault', 'POST', () => '/collections/vault/batch', [403, 403, 403], () => ({ documents: [{}] })],
  [
    'batches.update post',
    'POST',
    () => '/collections/posts/batch/documents/update',
    [404, 403, 403],
    ({ post }) => ({ updates: { [post]: { data: { n: 0 } } } }),
  ],
  [
    'batches.patch post',
    'PATCH',
    () => '/collections/posts/batch/documents/update',
    [404, 403, 403],
    ({ post }) => ({ updates: [{ id: post, data: { n: 0 } }] }),
  ],
  [
    'batches.delete post',
    'DELETE',
    () => '/collections/posts/batch/documents/delete',
    [404, 403, 403],
    ({ post }) => ({ ids: [post] }),
  ],
  [
    'batches.remove post',
    'POST',
    () => '/collections/posts/batch/documents/delete',
    [404, 403, 403],
    ({ post }) => ({ document_ids: [post] }),
  ],
  ['documents.list hidden', 'GET', () => '/collections/people?populate=title', [200, 200, 200]],
  ['documents.list hidden oracle', 'GET', () => '/collections/people?title__startswith=S3', [403, 403, 403]],
  ['documents.list hidden null', 'GET', () => '/collections/people?[or]n=1&[or]title__isnull=true', [403, 403, 403]],
  ['documents.list hidden order', 'GET', () => '/collections/people?orderBy=title&limit=1', [403, 403, 403]],
  ['documents.list hidden inside', 'GET', () => '/collections/people?cards.0.pin=1', [403, 403, 403]],
  ['documents.list hidden links', 'GET', () => '/collections/links?populate=person', [200, 200, 200]],
  [
    'documents.list hidden related',
    'GET',
    () => '/collections/links?populate=person&person.title__contains=S3',
    [200, 200, 200],
  ],
  ['documents.get hidden', 'GET', ({ person }) => `/collections/people/${person}?populate=title`, [200, 200, 200]],
  ['documents.get hidden head', 'HEAD', ({ person }) => `/collections/people/${person}`, [200, 200, 200]],
  ['documents.create hidden', 'POST', () => '/collections/forms', [201, 201, 201], () => ({})],
  ['documents.createIn hidden', 'POST', () => '/collections/documents?collection=forms', [201, 201, 201], () => ({})],
  ['documents.create readonly', 'POST', () => '/collections/forms', [403, 403, 403], () => ({ rank: 2 })],
  ['batches.create hidden', 'POST', () => '/collections/forms/batch', [201, 201, 201], () => ({ documents: [{}] })],
  [
    'batches.create readonly',
    'POST',
    () => '/collections/forms/batch',
    [403, 403, 403],
    () => ({ documents: [{ rank: 2 }] }),
  ],
  ['documents.update hidden', 'PATCH', ({ form }) => `/collections/forms/${form}`, [200, 200, 200], () => ({ n: 2 })],
  [
    'documents.update hidden card',
    'PATCH',
    ({ form }) => `/collections/forms/${form}`,
    [200, 200, 200],
    () => ({ cards: [{ n: 1 }] }),
  ],
  ['documents.put hidden', 'PUT', ({ form }) => `/collections/forms/${form}`, [200, 200, 200], () => ({ n: 3 })],
  [
    'batches.update hidden',
    'POST',
    () => '/collections/forms/batch/documents/update',
    [200, 200, 200],
    ({ form }) => ({ updates: { [form]: { data: { n: 4 } } } }),
  ],
  ...[
    { title: 'x' },
    { title: null },
    { $append: { title: ['x'] } },
    { $remove: { title: 'x' } },
    { cards: [] },
    { cards: [{ n: 1, pin: 'x' }] },
    { rank: 2 },
    { $append: { cards: [{ n: 2 }] } },
  ].map(
    (body): Row => [
      `documents.update closed ${JSON.stringify(body)}`,
      'PATCH',
      ({ form }) => `/collections/forms/${form}`,
      [403, 403, 403],
      () => body,
    ],
  ),
  ['documents.put closed', 'PUT', ({ form }) => `/collections/forms/${form}`, [403, 403, 403], () => ({ title: 'x' })],
  [
    'documents.update closed file',
    'PATCH',
    ({ form }) => `/collections/forms/${form}`,
    [403, 403, 403],
    () => formOf(fileOf('title')),
  ],
  ['collections.get hidden', 'GET', () => '/api/collections/forms', [200, 200, 200]],
  ['collections.update hidden', 'PATCH', () => '/collections/forms', [403, 403, 403], () => ({ permissions: {} })],
  ['collections.remove hidden', 'DELETE', () => '/collections/forms', [403, 403, 403]],
  ['realtime.sse hidden', 'GET', () => '/realtime/sse/people?filters={"title__contains":"S3"}', [403, 403, 403]],
  ['collections.list', 'GET', () => '/collections', [200, 200, 200]],
  ['collections.get vault', 'GET', () => '/api/collections/vault', [200, 403, 403]],
  ['collections.create', 'POST', () => '/collections', [403, 403, 403], () => ({ name: 'mine' })],
  ['collections.update', 'PATCH', () => '/collections/links', [403, 403, 403], () => ({ permissions: {} })],
  ['collections.remove', 'DELETE', () => '/collections/vault', [403, 403, 403]],
  ['storage.list', 'GET', () => '/storage/list', [200, 403, 403]],
  ['storage.info', 'GET', () => '/storage/info', [200, 403, 403]],
  ['storage.remove', 'DELETE', ({ file }) => `/storage/file/${file}`, [404, 403, 403]],
  ['storage.upload', 'POST', () => '/storage/upload', [422, 403, 403], () => formOf(textOf('path', 'x'))],
  ['storage.uploadDirect', 'POST', () => '/collections/file', [422, 403, 403], () => formOf(textOf('path', 'x'))],
  ['users.list', 'GET', () => '/auth-collections/users', [401, 403, 403]],
  ['users.get', 'GET', ({ ada }) => `/auth-collections/users/${ada}`, [401, 403, 403]],
  ['realtime.sse vault', 'GET', () => '/realtime/sse/vault', [403, 403, 403]],
  ['realtime.sse creator', 'GET', ({ ada }) => `/realtime/sse/posts?filters={"created_by":"${ada}"}`, [403, 403, 403]],
  ['realtime.ticket', 'POST', () => '/realtime/tickets', [201, 201, 201]],
  ['accounts.me', 'GET', () => '/auth-collections/me', [200, 401, 200]],
  ['accounts.user', 'GET', () => '/auth-collections/user?populate=post', [200, 401, 200]],
  [
    'accounts.update',
    'PATCH',
    () => '/auth-collections/user',
    [422, 401, 403],
    ({ ada }) => ({ id: ada, roles: ['admin'] }),
  ],
  [
    'accounts.signUp',
    'POST',
    () => '/auth-collections/signup',
    [401, 403, 403],
    () => ({ email: 'x@example.com', password: 'Correct4Horse', roles: ['admin'] }),
  ],
  [
    'accounts.logIn',
    'POST',
    () => '/auth-collections/login',
    [401, 401, 401],
    () => ({ email: 'x@example.com', password: 'x' }),
  ],
  [
    'accounts.logInWithCode',
    'POST',
    () => '/auth-collections/verify-2fa-login',
    [401, 401, 401],
    () => ({ email: 'x@example.com', code: '000000' }),
  ],
  ['accounts.refresh', 'POST', () => '/auth-collections/refresh', [200, 401, 200]],
  [
    'accounts.changePassword',
    'POST',
    () => '/auth/change-password',
    [401, 401, 403],
    () => ({ oldPassword: 'x', newPassword: 'Correct4Horses' }),
  ],
  ['twoFactor.verify', 'POST', () => '/auth/2fa/verify', [401, 401, 403], code],
  ['twoFactor.disable', 'POST', () => '/auth/2fa/disable', [401, 401, 403], code],
  ['twoFactor.enable', 'POST', () => '/auth/2fa/enable', [200, 401, 403]],
  ['twoFactor.start', 'POST', () => '/auth-collections/2fa/enable', [200, 401, 403]],
  ['twoFactor.stop', 'POST', () => '/auth-collections/2fa/disable', [200, 401, 403], () => ({})],
  [
    'twoFactor.sendCode',
    'POST',
    () => '/auth-collections/2fa/send-code',
    [401, 200, 200],
    () => ({ email: 'x@example.com' }),
  ],
  ['verification.request', 'POST', () => '/auth/request-verification', [200, 401, 403]],
  ['verification.send', 'POST', () => '/auth-collections/verify-email/send', [200, 401, 403]],
  [
    'verification.confirm',
    'POST',
    () => '/auth-collections/verify-email/verify',
    [401, 401, 401],
    () => ({ token: 'x' }),
  ],
  ['verification.verify', 'POST', () => '/auth/verify-email', [401, 401, 401], () => ({ token: 'x' })],
  [
    'passwords.requestReset',
    'POST',
    () => '/auth/request-password-reset',
    [401, 200, 200],
    () => ({ email: 'x@example.com' }),
  ],
  [
    'passwords.reset',
    'POST',
    () => '/auth/reset-password',
    [401, 401, 401],
    () => ({ token: 'x', newPassword: 'Correct4Horses' }),
  ],
  [
    'passwords.resetByToken',
    'POST',
    () => '/auth-collections/reset-password',
    [401, 401, 401],
    () => ({ token: 'x', new_password: 'Correct4Horses' }),
  ],
  ['providers.logIn', 'GET', () => '/auth-collections/login-idp', [401, 403, 403]],
  ['providers.logInWithGoogle', 'GET', () => '/auth-collections/login-google', [401, 403, 403]],
  [
    'providers.start',
    'GET',
    ({ project }) => `/auth-collections/auth-idp-redirect/${project}/start?state=x`,
    [302, 302, 302],
  ],
  [
    'providers.finish',
    'GET',
    ({ project }) => `/auth-collections/auth-idp-redirect/${project}?code=x`,
    [302, 302, 302],
  ],
  ['providers.url', 'POST', () => '/auth/oauth/google/url', [401, 403, 403], () => ({})],
  ['providers.callback', 'POST', () => '/auth/oauth/google/callback', [401, 403, 403], () => ({ code: 'x' })],
  ['providers.token', 'POST', () => '/auth/oauth/google/token', [401, 403, 403], () => ({ idToken: 'x' })],
  ...['google', 'apple'].map(
    (provider): Row => [
      `providers.verify-${provider}`,
      'POST',
      () => `/auth-collections/${provider}-verify`,
      [401, 403, 403],
      () => ({ id_token: 'x' }),
    ],
  ),
  [
    'providers.finishByForm',
    'POST',
    ({ project }) => `/auth-collections/auth-idp-redirect/${project}`,
    [303, 303, 303],
    () => postedForm('code=x'),
  ],
  ['pages.verifyEmail', 'GET', () => '/auth/pages/verify-email?token=x', [200, 200, 200]],
  ['pages.verifyEmail.post', 'POST', () => '/auth/pages/verify-email', [401, 401, 401], () => postedForm('token=x')],
  ['pages.resetPassword', 'GET', () => '/auth/pages/reset-password?token=x', [200, 200, 200]],
  [
    'pages.resetPassword.post',
    'POST',
    () => '/auth/pages/reset-password',
    [401, 401, 401],
    () => postedForm('token=x&newPassword=Correct4Horses'),
  ],
  // Last: it ends the session of the token.
  ['accounts.logOut by key', 'POST', () => '/auth-collections/logout', [200, 401, 401]],
]
