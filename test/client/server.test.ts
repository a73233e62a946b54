/** Sessions in cookies, over the wire: `Request` and `Response`, jars of frameworks, and Express. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.js'
import { type CookieAttributes, createServerClient, type ServerClientOptions } from '../../client/server.js'
import type { TestEmulator, TestProject } from '../../emulator/testing/index.js'
import { openSharedEmulator } from '../fixtures/shared-emulator.js'

const ada = { email: 'ada@example.com', password: 'Correct4Horse' }

let emulator: TestEmulator
let project: TestProject
/** Paths of the requests that the service received. */
let paths: string[]
let service: Pick<ServerClientOptions, 'url' | 'apiKey' | 'fetch'>

beforeAll(async () => {
  emulator = await openSharedEmulator()
})

beforeEach(async () => {
  project = await emulator.project()
  paths = []
  const { url, apiKey } = project
  const counted: typeof fetch = (input, init) => {
    paths.push(new URL(String(input)).pathname.replace('/auth-collections/', ''))
    return fetch(input, init)
  }
  service = { url, apiKey, fetch: counted }
})

/** Keeps cookies as a browser does: drops what has expired, and what is too large. */
function openBrowser(cookies: Record<string, string> = {}) {
  const values = new Map(Object.entries(cookies))
  const header = () => [...values].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    values,
    header,
    request: () => new Request('https://app.example.com/', { headers: { cookie: header() } }),
    receive(headers: Headers) {
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        const [, expires = ''] = /Expires=([^;]+)/.exec(line) ?? []
        if (Date.parse(expires) < Date.now()) values.delete(name)
        else if (line.length <= 4_096) values.set(name, value)
      }
    },
  }
}

type Browser = ReturnType<typeof openBrowser>

/** Runs one request of the browser. */
async function visit<Result>(
  browser: Browser,
  work: (svc: Client) => Promise<Result>,
  options: Partial<ServerClientOptions> = {},
): Promise<Result> {
  const headers = new Headers()
  const svc = createServerClient({ ...service, ...options, request: browser.request(), response: headers } as never)
  try {
    return await work(svc)
  } finally {
    browser.receive(headers)
  }
}

const emailIn = (browser: Browser, options?: Partial<ServerClientOptions>) =>
  visit(browser, async (svc) => (await svc.auth.session())?.user.email, options)

/** A browser whose token is in the last quarter of its lifetime. */
async function withOldToken(): Promise<Browser> {
  const browser = openBrowser()
  await project.clock.set(new Date(Date.now() - 6 * 86_400_000))
  await visit(browser, (svc) => svc.auth.signUp(ada))
  await project.clock.reset()
  return browser
}

describe('a session in cookies', () => {
  it('signs in, stays for the next request, and ends', async () => {
    const browser = openBrowser()

    await visit(browser, (svc) => svc.auth.signUp(ada))
    const token = browser.values.get('svc-session') ?? ''
    const signedIn = await emailIn(browser)
    await visit(browser, (svc) => svc.auth.logOut())

    expect(signedIn).toBe(ada.email)
    expect(browser.header()).toBe('')
    expect(await emailIn(browser)).toBeUndefined()
    expect(await emailIn(openBrowser({ 'svc-session': token }))).toBeUndefined()
  })

  it('sets cookies that no script and no other site can use', async () => {
    const headers = new Headers()
    const request = new Request('https://app.example.com/')

    await createServerClient({ ...service, request, response: headers }).auth.signUp(ada)
    const strict = new Headers()
    const cookie = { name: '__Host-app', sameSite: 'strict' } as const
    await createServerClient({ ...service, request, response: strict, cookie }).auth.logIn(ada)

    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc-session=[\w.-]+; Path=\/; Expires=[^;]+ GMT; HttpOnly; Secure; SameSite=Lax$/),
    ])
    expect(strict.getSetCookie()).toEqual([expect.stringMatching(/^__Host-app=.*; HttpOnly; Secure; SameSite=Strict$/)])
  })

  it('acts as the visitor of each request', async () => {
    const [one, other, stranger] = [openBrowser(), openBrowser(), openBrowser()]
    await project.secretClient.collections.create({ name: 'notes', permissions: { create: ['authenticated'] } })
    await visit(one, (svc) => svc.auth.signUp(ada))
    await visit(other, (svc) => svc.auth.signUp({ ...ada, email: 'bob@example.com' }))

    const emails = await Promise.all([one, other, stranger, one].map((browser) => emailIn(browser)))
    const write = (browser: Browser) => visit(browser, (svc) => svc.collection('notes').create({ text: 'Hello' }))
    await write(one)

    expect(emails).toEqual([ada.email, 'bob@example.com', undefined, ada.email])
    await expect(write(stranger)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('renews an old token once for parallel requests, and for later ones that still bring it', async () => {
    const browser = await withOldToken()
    const stale = browser.values.get('svc-session') ?? ''
    paths = []

    const visits = Array.from({ length: 8 }, () => openBrowser({ 'svc-session': stale }))
    const emails = await Promise.all(visits.map((each) => emailIn(each)))
    const late = openBrowser({ 'svc-session': stale })
    await emailIn(late)

    expect(emails).toEqual(visits.map(() => ada.email))
    expect(paths.filter((path) => path === 'refresh')).toHaveLength(1)
    const tokens = new Set([...visits, late].map(({ values }) => values.get('svc-session')))
    expect(tokens.size).toBe(1)
    expect(tokens).not.toContain(stale)
    await project.clock.advance({ hours: 48 })
    expect(await emailIn(late)).toBe(ada.email)
  })

  it('goes on where cookies cannot be set, and renews the token in the next request that can', async () => {
    const browser = await withOldToken()
    const before = browser.header()

    const readOnly = createServerClient({ ...service, request: browser.request() })
    const refused = createServerClient({ ...service, cookies: throwingJar(browser) })
    const emails = [(await readOnly.auth.session())?.user.email, (await refused.auth.session())?.user.email]
    await emailIn(browser)

    expect(emails).toEqual([ada.email, ada.email])
    expect(browser.header()).not.toBe(before)
    await expect(readOnly.auth.logIn(ada)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await expect(refused.auth.logIn(ada)).rejects.toThrow('Not here.')
  })

  it('ends after the token has expired, and deletes the cookie', async () => {
    const browser = openBrowser()
    await visit(browser, (svc) => svc.auth.signUp(ada))
    await project.clock.advance({ days: 8 })

    const email = await emailIn(browser)

    expect(email).toBeUndefined()
    expect(browser.header()).toBe('')
  })

  it('deletes the cookie if a call learns that the session has ended, and says so where it cannot', async () => {
    const browser = openBrowser()
    await visit(browser, (svc) => svc.auth.signUp(ada))
    const endMeanwhile = async (svc: Client) => {
      const session = await svc.auth.session()
      await createServerClient({ ...service, request: browser.request() }).auth.logOut()
      expect(session?.user.email).toBe(ada.email)
      return svc.auth.me()
    }

    const refused = createServerClient({ ...service, cookies: throwingJar(browser) })

    await expect(endMeanwhile(refused)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await visit(browser, (svc) => svc.auth.logIn(ada))
    await expect(visit(browser, endMeanwhile)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    expect(browser.header()).toBe('')
  })

  it('keeps the cookie while the service cannot be reached', async () => {
    const browser = openBrowser()
    await visit(browser, (svc) => svc.auth.signUp(ada))
    const before = browser.header()

    const cut = emailIn(browser, { fetch: () => Promise.reject(new TypeError('down')), retry: { attempts: 1 } })

    await expect(cut).rejects.toMatchObject({ code: 'NETWORK' })
    expect(browser.header()).toBe(before)
  })

  it.each([
    ['another user’s id in the token', (token: string) => withPayload(token, { sub: 'admin' })],
    ['a cut token', (token: string) => token.slice(0, -5)],
    ['a session as JSON', () => encodeURIComponent(JSON.stringify({ token: 'x', user: { id: 'admin' } }))],
    ['characters that end a header', (token: string) => `${token}%0d%0ax-api-key:%20stolen`],
    ['bad escapes', () => '%E0%A4%A'],
    ['nothing', () => ''],
  ])('takes %s for nobody', async (_name, tamper) => {
    const browser = openBrowser()
    await visit(browser, (svc) => svc.auth.signUp(ada))
    const tampered = openBrowser({ 'svc-session': tamper(browser.values.get('svc-session') ?? '') })

    expect(await emailIn(tampered)).toBeUndefined()
    await expect(visit(tampered, (svc) => svc.auth.me())).rejects.toMatchObject({ status: 401 })
  })

  it('splits a token that is too long for one cookie, and deletes what is left of it', async () => {
    const padding = 'p'.repeat(6_000)
    const long = { fetch: withLongTokens(padding) }
    const browser = openBrowser()

    await visit(browser, (svc) => svc.auth.signUp(ada), long)
    const names = [...browser.values.keys()]
    const email = await emailIn(browser, long)
    const withoutOne = openBrowser(Object.fromEntries([...browser.values].slice(1)))
    await visit(browser, (svc) => svc.auth.logIn(ada))

    expect(names).toEqual(['svc-session.0', 'svc-session.1'])
    expect(email).toBe(ada.email)
    expect(await emailIn(withoutOne, long)).toBeUndefined()
    expect([...browser.values.keys()]).toEqual(['svc-session'])
    await visit(browser, (svc) => svc.auth.logIn(ada), long)
    expect([...browser.values.keys()]).toEqual(names)
    await visit(browser, (svc) => svc.auth.logOut(), long)
    expect(browser.header()).toBe('')
    const tooLong = { fetch: withLongTokens('p'.repeat(20_000)) }
    await expect(visit(browser, (svc) => svc.auth.logIn(ada), tooLong)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
  })

  it('uses the jar of a framework, whose values may be objects', async () => {
    const values = new Map<string, { value: string; attributes: CookieAttributes }>()
    const cookies = {
      get: (name: string) => values.get(name),
      set: (name: string, value: string, attributes: CookieAttributes) => values.set(name, { value, attributes }),
    }

    await createServerClient({ ...service, cookies }).auth.signUp(ada)
    const session = await createServerClient({ ...service, cookies }).auth.session()

    expect(session?.user.email).toBe(ada.email)
    expect(values.get('svc-session')?.attributes).toEqual({
      ...{ httpOnly: true, secure: true, sameSite: 'lax', path: '/' },
      expires: expect.any(Date),
    })
  })
})

describe('Express', () => {
  let server: Server
  let address: string
  beforeAll(async () => {
    const app = express()
    app.use((request, response, next) => {
      response.locals.svc = createServerClient({ ...service, request, response })
      next()
    })
    app.post('/login', async (_request, response) => {
      await response.locals.svc.auth.signUp(ada)
      response.json({})
    })
    app.get('/me', async (_request, response) => {
      const session = await response.locals.svc.auth.session()
      response.json({ email: session?.user.email ?? null })
    })
    server = app.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it('reads cookies without a parser, and sets them on the response', async () => {
    const browser = openBrowser({ theme: 'dark' })

    browser.receive((await fetch(`${address}/login`, { method: 'POST' })).headers)
    const me = await fetch(`${address}/me`, { headers: { cookie: browser.header() } })
    const nobody = await fetch(`${address}/me`)

    expect([await me.json(), await nobody.json()]).toEqual([{ email: ada.email }, { email: null }])
    expect([...browser.values.keys()]).toEqual(['theme', 'svc-session'])
  })
})

/** A jar of a page that only shows something. */
function throwingJar({ values }: Browser) {
  return {
    get: (name: string) => values.get(name),
    set() {
      throw new Error('Not here.')
    },
  }
}

function withPayload(token: string, changes: object): string {
  const [head, payload = '', signature] = token.split('.')
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...changes }
  return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
}

/** Stands in for a service with longer tokens. */
function withLongTokens(padding: string): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', headers.get('authorization')?.replace(padding, '') ?? '')
    if (!headers.get('authorization')) headers.delete('authorization')
    const answer = await fetch(input, { ...init, headers })
    const text = (await answer.text()).replaceAll(/"((?:access_)?token)":"([^"]+)"/g, `"$1":"$2${padding}"`)
    return new Response(text || null, answer)
  }
}
