import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import {
  aPerson,
  callbackUrl,
  choose,
  comeBack,
  completeUrl,
  issuer,
  logInThrough,
  loginUrl,
  providerKeys,
} from '../../fixtures/providers/provider.js'
import { type Answer, send } from '../../fixtures/requests/http.js'
import { changeSettings, service } from '../../fixtures/service.js'
import { expectFailure, expectStatus, inDialects, type Wire, type World } from '../../fixtures/wires.js'

// Redirects and cookies are the same in every dialect, and an address may fail only so often per minute.
const touched = ['a', 'd'] as const

const page = 'http://localhost:5173'

/** Opens an address as a browser does that has these cookies. */
function open(url: string, cookie?: string): Promise<Answer> {
  const { pathname, search } = new URL(url)
  const headers = { accept: 'text/html', ...(cookie === undefined ? {} : { cookie }) }
  return send(service.url, { method: 'GET', path: `${pathname}${search}`, headers })
}

const location = (answer: Answer) => String(expectStatus(302, answer).headers.location)
const outcome = (answer: Answer) => new URL(location(answer)).searchParams

/** Response to a page in a browser. */
async function urlFor(wire: Wire, { api }: Pick<World, 'api'>, headers: Record<string, string>): Promise<string> {
  const answer = expectStatus(200, await api.get('/auth-collections/login-idp', headers))
  return (wire.record(answer) as { url: string }).url
}

/** A browser starts a login: its cookie, and its redirect. */
async function setOut(url: string, cookie?: string) {
  const answer = await open(url, cookie)
  return { url: location(answer), cookie: String(answer.headers['set-cookie']).replace(/;.*/, ''), answer }
}

inDialects(
  'Logins that a browser asks for',
  (wire) => {
    test.each<readonly [Record<string, string>, end: string]>([
      [{ origin: page }, ''],
      [{ origin: page }, '/'],
      [{ 'sec-fetch-site': 'same-origin' }, ''],
    ])('contract 7.3 are finished by that browser only (%j, callback with "%s" at its end)', async (headers, end) => {
      const { api, project } = await aTown(wire)
      const IDP_REDIRECT_URL = callbackUrl(project.id) + end
      await changeSettings(project, { idp: { ...providerKeys(project.id), IDP_REDIRECT_URL } })
      const person = await aPerson()
      const url = await urlFor(wire, { api }, headers)
      expect(url).toMatch(new RegExp(`^${callbackUrl(project.id)}/start\\?state=[\\w.-]+$`))

      const own = await setOut(url)
      const back = await choose(own.url, person)

      expect(back).toContain(`${IDP_REDIRECT_URL}?`)
      expect(String(own.answer.headers['set-cookie'])).toMatch(
        /^svc-login-\w+=[\w-]+; Max-Age=600; Path=\/auth-collections\/auth-idp-redirect\/[\w-]+; HttpOnly; SameSite=Lax$/,
      )
      // Another browser, with no cookie or another one, is not logged in by it, and does not consume it.
      for (const cookie of [undefined, own.cookie.replace(/=.*/, '=forged'), 'other=1']) {
        expect(outcome(await open(back, cookie)).get('svc-error')).toBe('authentication_failed')
      }
      expect(outcome(await open(back, `theme=dark; ${own.cookie}; x=y`)).has('svc-super-token')).toBe(true)
      expect(outcome(await open(back, own.cookie)).get('svc-error')).toBe('authentication_failed')
    })

    test('contract 7.3 show their cookie by https only, where they come back by https', async () => {
      const { api, project } = await aTown(wire)
      const IDP_REDIRECT_URL = callbackUrl(project.id).replace(/^https?:\/\/[^/]+/, 'https://api.example')
      await changeSettings(project, { idp: { ...providerKeys(project.id), IDP_REDIRECT_URL } })

      const { answer } = await setOut(await urlFor(wire, { api }, { origin: page }))

      expect(String(answer.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=Lax; Secure$/)
    })

    test('contract 7.3 belong to the first browser that sets out, which may go back and do so again', async () => {
      const { api } = await aTown(wire)
      const person = await aPerson()
      const url = await urlFor(wire, { api }, { origin: page })
      const first = await setOut(url)

      expect(outcome(await open(url)).get('svc-error')).toBe('authentication_failed')
      const again = await setOut(url, first.cookie)
      const back = await choose(again.url, person)

      expect(again.url).toBe(first.url)
      expect(outcome(await open(back, again.cookie)).has('svc-super-token')).toBe(true)
    })

    test('contract 7.3 cannot be finished before the browser has set out', async () => {
      const { api, project } = await aTown(wire)
      const state = new URL(await urlFor(wire, { api }, { origin: page })).searchParams.get('state')

      const back = await open(`${callbackUrl(project.id)}?code=x&state=${state}`)

      expect(outcome(back).get('svc-error')).toBe('authentication_failed')
      expect(outcome(await open(`${callbackUrl(project.id)}/start?state=made-up`)).get('svc-error')).toBe(
        'authentication_failed',
      )
    })

    test('contract 7.3 servers and scripts of this machine get the address at the provider itself', async () => {
      const { api } = await aTown(wire)

      // Node's own fetch sends this.
      expect(await urlFor(wire, { api }, { 'sec-fetch-mode': 'cors' })).toMatch(/\/_svc\/idp\/authorize\?/)
    })

    test.each<Record<string, string>>([{ 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }])(
      'contract 7.3 a script of another machine cannot have its own login finished by somebody else’s browser (%j)',
      async (headers) => {
        const { api } = await aTown(wire)
        const own = await setOut(await urlFor(wire, { api }, headers))

        const back = await choose(own.url, await aPerson())

        expect(outcome(await open(back)).get('svc-error')).toBe('authentication_failed')
        expect(outcome(await open(back, own.cookie)).has('svc-super-token')).toBe(true)
      },
    )

    test('contract 7.1 a provider that posts a form back is followed by an address with a query', async () => {
      const { api } = await aTown(wire)
      const person = await aPerson()
      const own = await setOut(await urlFor(wire, { api }, { origin: page }))
      const back = new URL(await choose(own.url, person))
      const post = (headers: Record<string, string>) =>
        send(service.url, {
          method: 'POST',
          path: back.pathname,
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: `${back.searchParams}&unknown=x`,
        })

      for (const origin of ['https://appleid.apple.com', 'null']) {
        const { headers } = expectStatus(303, await post({ origin }))
        expect(new URL(String(headers.location), back).href).toBe(back.href)
      }
      expect(outcome(await open(back.href, own.cookie)).has('svc-super-token')).toBe(true)
      expectFailure(await post({ 'content-type': 'application/json' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    })
  },
  touched,
)

inDialects(
  'Logins that begin at a named provider',
  (wire) => {
    /** Asks for the address to send the browser to. */
    async function begin({ api }: Pick<World, 'api'>, body: object, headers: Record<string, string> = {}) {
      const answer = expectStatus(200, await api.post('/auth/oauth/idp/url', body, headers))
      return wire.record(answer) as { url: string; state: string }
    }

    test.each<Record<string, string>>([
      { origin: page },
      { 'sec-fetch-site': 'cross-site' },
      { 'x-forwarded-for': '203.0.113.9' },
    ])('contract 7.3 are finished at the service’s callback by the browser that set out only (%j)', async (headers) => {
      const { api, project } = await aTown(wire)

      for (const body of [
        {},
        { redirectUrl: callbackUrl(project.id) },
        { redirectUrl: `${callbackUrl(project.id)}/` },
      ]) {
        const { url, state } = await begin({ api }, body, headers)
        expect(url).toBe(`${callbackUrl(project.id)}/start?state=${state}`)
        const own = await setOut(url)
        const back = await choose(own.url, await aPerson())

        expect(outcome(await open(back)).get('svc-error')).toBe('authentication_failed')
        expect(outcome(await open(back, own.cookie)).has('svc-super-token')).toBe(true)
      }
    })

    test('contract 7.3 end on the page of their own provider, also once they are over', async () => {
      const { api, project } = await aTown(wire)
      const named = (name: string, complete: string) =>
        Object.fromEntries(
          Object.entries({ ...providerKeys(project.id), IDP_ISSUER: issuer, IDP_COMPLETE_URL: complete }).map(
            ([key, value]) => [key.replace('IDP_', name), value],
          ),
        )
      const google = named('IDP_GOOGLE_', 'https://app.example/google')
      for (const idp of <Record<string, string>[]>[
        google,
        { ...google, ...named('IDP_', 'https://app.example/main') },
      ]) {
        await changeSettings(project, { idp })
        const answer = expectStatus(200, await api.post('/auth/oauth/google/url', {}, { origin: page }))
        const { url } = wire.record(answer) as { url: string }
        const own = await setOut(url)
        const back = await choose(own.url, await aPerson())
        expectStatus(302, await open(back, own.cookie))

        for (const late of [await open(url), await open(url, own.cookie), await open(back, own.cookie)]) {
          expect(location(late)).toBe('https://app.example/google?svc-error=authentication_failed')
        }
        // An unknown state reveals only its project.
        for (const unknown of ['/start?state=made-up', '?code=x&state=made-up']) {
          const { IDP_COMPLETE_URL: main = 'https://app.example/google' } = idp
          expect(location(await open(callbackUrl(project.id) + unknown))).toBe(
            `${main}?svc-error=authentication_failed`,
          )
        }
      }
    })

    test('contract 7.3 are not finished by the service where the code goes to a page of the app', async () => {
      const { api, project } = await aTown(wire)
      await changeSettings(project, {
        idp: { ...providerKeys(project.id), IDP_REDIRECT_URL: 'https://app.example/after' },
        allowedOrigins: [new URL(service.url).origin, page],
      })
      const elsewhere = ['https://app.example/after', page]

      for (const body of [{}, ...elsewhere.map((redirectUrl) => ({ redirectUrl }))]) {
        const { url, state } = await begin({ api }, body)
        const code = String(new URL(await choose(url, await aPerson())).searchParams.get('code'))

        const callback = await open(`${callbackUrl(project.id)}?${new URLSearchParams({ code, state })}`)

        expect(outcome(callback).get('svc-error')).toBe('authentication_failed')
        expectStatus(200, await api.post('/auth/oauth/idp/callback', { code, state }))
      }
    })

    test('contract 7.3 are finished by the service for scripts of this machine, which keep no cookies', async () => {
      const { api } = await aTown(wire)
      const { url } = await begin({ api }, {})

      expect(url).toMatch(/\/_svc\/idp\/authorize\?/)
      expect(outcome(await open(await choose(url, await aPerson()))).has('svc-super-token')).toBe(true)
    })

    test('contract 7.3 may come back to the service by way of another address, where login-idp began them', async () => {
      const { api, project } = await aTown(wire)
      await changeSettings(project, {
        idp: { ...providerKeys(project.id), IDP_REDIRECT_URL: 'https://app.example/handed-on' },
      })
      const url = await urlFor(wire, { api }, { origin: page })
      const back = new URL(await choose(url, await aPerson()))

      expect(outcome(await open(`${callbackUrl(project.id)}${back.search}`)).has('svc-super-token')).toBe(true)
    })
  },
  touched,
)

inDialects(
  'The page that a login ends on',
  (wire) => {
    const ending = async (api: World['api'], query: string) => {
      const answer = expectStatus(200, await api.get(`/auth-collections/login-idp${query}`))
      const { url } = wire.record(answer) as { url: string }
      return comeBack(await choose(url, await aPerson()))
    }

    test('contract 7.2 IDP_COMPLETE_URL alone keeps the built-in provider', async () => {
      const { api, project } = await aTown(wire)
      await changeSettings(project, { idp: { IDP_COMPLETE_URL: completeUrl } })

      const { page, token } = await logInThrough(wire, { api }, await aPerson())

      expect([page, token]).toEqual([completeUrl, expect.any(String)])
      await changeSettings(project, { idp: { IDP_COMPLETE_URL: completeUrl, IDP_CLIENT_ID: 'app' } })
      expectFailure(await api.get('/auth-collections/login-idp'), 400, 'IDP_NOT_CONFIGURED')
    })

    test('contract 7.3 may be named for one login, if it is of an origin that the project allows', async () => {
      const { api, project } = await aTown(wire, { allowedOrigins: ['https://shop.example'] })
      await changeSettings(project, { idp: providerKeys(project.id) })
      const returnTo = (address: string) => `?returnTo=${encodeURIComponent(address)}`

      for (const address of ['https://shop.example/cart?n=1#top', 'https://app.example/other', `${page}/after`]) {
        const { page, token } = await ending(api, returnTo(address))
        expect([page, token]).toEqual([address, expect.any(String)])
      }
      for (const address of [
        'https://evil.example',
        'https://shop.example.evil.example',
        'http://shop.example',
        'https://shop.example@evil.example',
        'javascript:alert(1)//https://shop.example',
        'nonsense',
        '',
      ]) {
        expectFailure(await api.get(`/auth-collections/login-idp${returnTo(address)}`), 403, 'ORIGIN_NOT_ALLOWED')
      }
      expect(await loginUrl(wire, { api })).toContain('/_svc/idp/')
    })
  },
  touched,
)

inDialects(
  'A login that was to end on a page of the app',
  (wire) => {
    test('contract 7.3 ends there also where it is over, or another browser has it', async () => {
      const { api, project } = await aTown(wire, { allowedOrigins: ['https://shop.example'] })
      await changeSettings(project, { idp: {} })
      const returnTo = encodeURIComponent('https://shop.example/cart?n=1#top')
      const asked = await api.get(`/auth-collections/login-idp?returnTo=${returnTo}`, { origin: page })
      const { url } = wire.record(expectStatus(200, asked)) as { url: string }
      const own = await setOut(url)
      const refused = 'https://shop.example/cart?n=1&svc-error=authentication_failed#top'

      const again = await open(url)
      const back = await choose(own.url, await aPerson())
      const ends = [await open(back), await open(back, own.cookie), await open(back, own.cookie)].map(location)

      expect(location(again)).toBe(refused)
      expect(ends).toEqual([refused, expect.stringContaining('svc-super-token='), refused])
    })
  },
  touched,
)

inDialects(
  'Names of providers',
  (wire) => {
    test('contract 7.2 the built-in provider stands in for well-known and configured names only', async () => {
      const { api, project } = await aTown(wire)
      const url = (name: string) => api.post(`/auth/oauth/${name}/url`, { redirectUrl: page })

      for (const name of ['idp', 'google', 'github', 'apple', 'microsoft']) expectStatus(200, await url(name))
      for (const name of ['gogle', 'acme']) {
        const answer = await url(name)
        expectFailure(answer, 400, 'IDP_NOT_CONFIGURED')
        expect(answer.text).toContain(`IDP_${name.toUpperCase()}_CLIENT_ID is not set`)
      }
      const token = await api.post('/auth/oauth/gogle/token', { idToken: 'x' })
      expectFailure(token, 400, 'IDP_NOT_CONFIGURED')
      await changeSettings(project, { idp: { IDP_ACME_CLIENT_ID: 'app', IDP_ACME_CLIENT_SECRET: 'secret' } })
      expectStatus(200, await url('acme'))
      expectFailure(await url('gogle'), 400, 'IDP_NOT_CONFIGURED')
    })
  },
  touched,
)
