/** Answers that come late, and pages that share a login: the newest login stays, whatever else is in flight. */
import { describe, expect, it } from 'vitest'
import { createClient, type SessionStore } from '../../client/index.js'

const hour = 3_600

/** A token of one user; `left` is the fraction of its lifetime left. */
/** One for all: the same name has the same token, whenever it is made. */
const now = Math.floor(Date.now() / 1_000)

function aToken(name: string, left = 1): string {
  const iat = now - Math.round(hour * (1 - left))
  return `${name}.${btoa(JSON.stringify({ iat, exp: iat + hour }))}.x`
}

const aUser = (id: string, updatedAt = '2026-01-01') => ({ id, email: `${id}@example.com`, data: {}, updatedAt })
const login = (id: string, token = aToken(id)) => ({ user: aUser(id), token })

/** A service whose answers the test gives, in any order. */
function aService() {
  const waiting: { path: string; token: string | null; answer(body: object, status?: number): Promise<void> }[] = []
  const fetch = (url: unknown, init: RequestInit = {}) =>
    new Promise<Response>((resolve) => {
      waiting.push({
        path: new URL(String(url)).pathname.replace(/^.*\//, ''),
        token: new Headers(init.headers).get('authorization')?.replace('Bearer ', '') ?? null,
        answer: async (body, status = 200) => {
          resolve(new Response(JSON.stringify(body), { status }))
          await turns()
        },
      })
    })
  return {
    fetch: fetch as typeof globalThis.fetch,
    asked: (path: string) => waiting.filter((one) => one.path === path),
    /** The next unanswered request to that path. */
    async next(path: string) {
      await turns()
      const at = waiting.findIndex((one) => one.path === path)
      const [found] = waiting.splice(at, 1)
      if (at < 0 || !found) throw new Error(`no request for ${path}`)
      return found
    },
  }
}

/** Runs all pending microtasks. */
async function turns() {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

/** The storage that pages share; a slow one answers after some microtasks. */
function aStore(text: string | null = null, isSlow = false) {
  const store = { text }
  const session: SessionStore = isSlow
    ? {
        async read() {
          const { text } = store
          await Promise.resolve()
          return text
        },
        async write(next) {
          for (let turn = 0; turn < 5; turn++) await Promise.resolve()
          store.text = next
        },
      }
    : {
        read: () => store.text,
        write(next) {
          store.text = next
        },
      }
  return { session, user: () => (store.text === null ? undefined : JSON.parse(store.text).user.id), store }
}

const stores = ['none', 'quick', 'slow'] as const

describe.each(stores)('with a store that is %s, an answer that comes late', (kind) => {
  /** A client signed in as Ada, with a token near its expiry or not. */
  async function signedIn(left = 1) {
    const { fetch, next, asked } = aService()
    const { session } = aStore(null, kind === 'slow')
    const svc = createClient({ url: 'http://service.test', fetch, ...(kind !== 'none' && { session }) })
    const loggedIn = svc.auth.logIn({ email: 'ada', password: 'x' })
    await (await next('login')).answer(login('ada', aToken('ada', left)))
    await loggedIn
    return { svc, next, asked, who: async () => (await svc.auth.session())?.user.id }
  }

  it('to a refresh does not take the place of a newer login', async () => {
    const { svc, next, who } = await signedIn()
    const refreshed = svc.auth.refresh()
    const refresh = await next('refresh')
    const loggedIn = svc.auth.logIn({ email: 'bob', password: 'x' })
    await (await next('login')).answer(login('bob'))
    await loggedIn

    await refresh.answer({ token: aToken('ada-again') })
    await refreshed

    expect([await who(), (await svc.auth.session())?.token]).toEqual(['bob', aToken('bob')])
  })

  it('to a refresh does not bring back who has logged out', async () => {
    const { svc, next, who } = await signedIn()
    const refreshed = svc.auth.refresh()
    const refresh = await next('refresh')
    const loggedOut = svc.auth.logOut()
    await (await next('logout')).answer({ message: 'ok' })
    await loggedOut

    await refresh.answer({ token: aToken('ada-again') })
    await refreshed

    expect(await who()).toBeUndefined()
  })

  it('to a refresh keeps what was heard of the user meanwhile', async () => {
    const { svc, next } = await signedIn()
    const refreshed = svc.auth.refresh()
    const refresh = await next('refresh')
    const read = svc.auth.me()
    await (await next('me')).answer(aUser('ada', '2026-02-02'))
    await read

    await refresh.answer({ token: aToken('ada-again') })
    await refreshed

    expect(await svc.auth.session()).toMatchObject({ token: aToken('ada-again'), user: { updatedAt: '2026-02-02' } })
  })

  it('of a user is not shown as the user of a newer login', async () => {
    const { svc, next, who } = await signedIn()
    const read = svc.auth.me()
    const me = await next('me')
    const loggedIn = svc.auth.logIn({ email: 'bob', password: 'x' })
    await (await next('login')).answer(login('bob'))
    await loggedIn

    await me.answer(aUser('ada', '2026-02-02'))
    await read

    expect(await who()).toBe('bob')
  })

  it('of a user does not hide a newer state of the same user', async () => {
    const { svc, next } = await signedIn()
    const read = svc.auth.me()
    const me = await next('me')
    const updated = svc.auth.update({ data: {} })
    await (await next('user')).answer(aUser('ada', '2026-02-02'))
    await updated

    await me.answer(aUser('ada', '2026-01-01'))
    await read

    expect((await svc.auth.session())?.user.updatedAt).toBe('2026-02-02')
  })

  it('to a login does not take the place of a login that was asked for later', async () => {
    const { svc, next, who } = await signedIn()
    const first = svc.auth.logIn({ email: 'bob', password: 'x' })
    const bob = await next('login')
    const second = svc.auth.logIn({ email: 'cleo', password: 'x' })
    await (await next('login')).answer(login('cleo'))
    await second

    await bob.answer(login('bob'))
    await first

    expect(await who()).toBe('cleo')
  })

  it('to a login does not sign in who has logged out since', async () => {
    const { svc, next, who } = await signedIn()
    const loggingIn = svc.auth.logIn({ email: 'bob', password: 'x' })
    const bob = await next('login')
    const loggedOut = svc.auth.logOut()
    await (await next('logout')).answer({ message: 'ok' })
    await loggedOut

    await bob.answer(login('bob'))
    await loggingIn

    expect(await who()).toBeUndefined()
  })

  it('to a login counts where a later one has failed', async () => {
    const { svc, next, who } = await signedIn()
    const first = svc.auth.logIn({ email: 'bob', password: 'x' })
    const bob = await next('login')
    const second = svc.auth.logIn({ email: 'cleo', password: 'wrong' }).catch(() => undefined)
    await (await next('login')).answer({ error: { code: 'INVALID_CREDENTIALS', message: 'no' } }, 401)
    await second

    await bob.answer(login('bob'))
    await first

    expect(await who()).toBe('bob')
  })

  it('that says a token is over ends only the login of that token', async () => {
    const { svc, next, who } = await signedIn()
    const read = svc.auth.me().catch(() => undefined)
    const me = await next('me')
    const loggedIn = svc.auth.logIn({ email: 'bob', password: 'x' })
    await (await next('login')).answer(login('bob'))
    await loggedIn

    await me.answer({ error: { code: 'INVALID_TOKEN', message: 'over' } }, 401)
    await read

    expect(await who()).toBe('bob')
  })

  it('costs one refresh, however many calls notice that the token nears its end', async () => {
    const { svc, next, asked } = await signedIn(0.1)

    const calls = [1, 2, 3, 4].map(() => svc.auth.me().catch(() => undefined))
    await turns()
    expect(asked('refresh')).toHaveLength(1)
    await (await next('refresh')).answer({ error: { code: 'INTERNAL', message: 'no' } }, 500)
    calls.push(svc.auth.me().catch(() => undefined))
    await turns()

    expect(asked('refresh')).toHaveLength(0)
    expect(asked('me')).toHaveLength(5)
  })
})

describe.each(['quick', 'slow'] as const)('two pages with one %s store', (kind) => {
  async function twoPages() {
    const { session, user, store } = aStore(JSON.stringify(login('ada')), kind === 'slow')
    const services = [aService(), aService()] as const
    const [here, there] = services.map(({ fetch }) => createClient({ url: 'http://service.test', fetch, session }))
    if (!here || !there) throw new Error('two pages')
    for (const page of [here, there]) await page.auth.session()
    return { here, there, here_: services[0], there_: services[1], user, store }
  }

  it.each([
    ['a refresh', 'refresh', { token: aToken('ada-again') }],
    ['a look at the user', 'me', aUser('ada', '2026-02-02')],
  ] as const)('%s of one leaves a newer login of the other', async (_, path, body) => {
    const { here, there, here_, there_, user } = await twoPages()
    const asking = path === 'me' ? here.auth.me() : here.auth.refresh()
    const late = await here_.next(path)
    const loggedIn = there.auth.logIn({ email: 'bob', password: 'x' })
    await (await there_.next('login')).answer(login('bob'))
    await loggedIn

    await late.answer(body)
    await asking

    expect(user()).toBe('bob')
  })

  it('a refresh of one does not bring back who has logged out in the other', async () => {
    const { here, there, here_, there_, user } = await twoPages()
    const refreshed = here.auth.refresh()
    const refresh = await here_.next('refresh')
    const loggedOut = there.auth.logOut()
    await (await there_.next('logout')).answer({ message: 'ok' })
    await loggedOut

    await refresh.answer({ token: aToken('ada-again') })
    await refreshed

    expect(user()).toBeUndefined()
  })

  it('a login that is over in one is given up for the newer one of the other', async () => {
    const { here, there, here_, there_, user } = await twoPages()
    const loggedIn = there.auth.logIn({ email: 'bob', password: 'x' })
    await (await there_.next('login')).answer(login('bob'))
    await loggedIn

    const read = here.auth.me().catch(() => undefined)
    await (await here_.next('me')).answer({ error: { code: 'INVALID_TOKEN', message: 'over' } }, 401)
    await read

    expect([user(), (await here.auth.session())?.user.id]).toEqual(['bob', 'bob'])
  })

  it('a login while a late answer looks into the store is not lost', async () => {
    const { here, here_, user } = await twoPages()
    const refreshed = here.auth.refresh()
    const refresh = await here_.next('refresh')
    const loggedIn = here.auth.logIn({ email: 'bob', password: 'x' })
    const bob = await here_.next('login')

    await Promise.all([refresh.answer({ token: aToken('ada-again') }), bob.answer(login('bob'))])
    await Promise.all([refreshed, loggedIn])

    expect([user(), (await here.auth.session())?.user.id]).toEqual(['bob', 'bob'])
  })
})
