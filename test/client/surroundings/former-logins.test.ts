/** Tests work that one user has begun when the next one signs in, or the user signs out. */
import { expect, it } from 'vitest'
import { createClient } from '../../../client/index.js'

const session = (id: string) => ({ token: id, user: { id, email: `${id}@example.com`, data: {}, updatedAt: 't' } })

/** A client as Ada, the requests that it has sent, and how to answer the first of them to a path. */
function asAda(dialect = 'a') {
  const asked: { path: string; token: string | undefined; answer(body: object): void }[] = []
  const svc = createClient({
    url: 'http://service.test',
    dialect,
    session: { read: () => JSON.stringify(session('ada')), write: () => undefined },
    fetch: (url, init) =>
      new Promise((resolve) => {
        asked.push({
          path: new URL(String(url)).pathname.replace(/^.*\//, ''),
          token: new Headers(init?.headers).get('authorization')?.replace('Bearer ', ''),
          answer: (body) => resolve(new Response(JSON.stringify(body), { headers: { 'svc-dialect': 'a' } })),
        })
      }),
  })
  const next = async (path: string) => {
    await expect.poll(() => asked.some((one) => one.path === path)).toBe(true)
    const at = asked.findIndex((one) => one.path === path)
    return asked.splice(at, 1)[0] as (typeof asked)[number]
  }
  return { svc, next }
}

it('a new token is asked for by who is signed in, though one of the former user is on its way', async () => {
  const { svc, next } = asAda()
  const ofAda = svc.auth.refresh()
  const first = await next('refresh')
  const loggedIn = svc.auth.logIn({ email: 'bob@example.com', password: 'x' })
  ;(await next('login')).answer(session('bob'))
  await loggedIn

  const ofBob = svc.auth.refresh()
  const second = await next('refresh')
  first.answer({ token: 'ada-2' })
  second.answer({ token: 'bob-2' })

  expect([first.token, second.token]).toEqual(['ada', 'bob'])
  expect(await Promise.all([ofAda, ofBob])).toEqual(['ada-2', 'bob-2'])
  expect((await svc.auth.session())?.token).toBe('bob-2')
})

const writes: [what: string, path: string, begin: (svc: ReturnType<typeof asAda>['svc']) => Promise<unknown>][] = [
  ['a document', 'posts', (svc) => svc.collection('posts').create({ title: 'Tea' })],
  ['a change', 'd1', (svc) => svc.collection('posts').update('d1', { title: 'Tea' })],
  ['a removal', 'd1', (svc) => svc.collection('posts').delete('d1')],
  ['several documents', 'documents', (svc) => svc.collection('posts').createMany([{ title: 'Tea' }])],
  ['several changes', 'update', (svc) => svc.collection('posts').updateMany({ d1: { title: 'Tea' } })],
  ['a file', 'upload', (svc) => svc.files.upload(new File(['Tea'], 'tea.txt'))],
]
it.each(writes)(
  '%s goes out as who has written it, though the dialect is known only after the logout',
  async (...one) => {
    const [, path, begin] = one
    const { svc, next } = asAda('auto')
    begin(svc).catch(() => undefined)
    const detecting = await next('collections')
    svc.auth.logOut().catch(() => undefined)
    await expect.poll(() => svc.auth.session()).toBeUndefined()

    detecting.answer([])

    expect((await next(path)).token).toBe('ada')
  },
)
