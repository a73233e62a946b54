import { expect, test } from 'vitest'
import { control } from '../../fixtures/control.js'
import {
  aPerson,
  callbackUrl,
  choose,
  comeBack,
  completeUrl,
  fourKeys,
  logInThrough,
  loginUrl,
  providerKeys,
  visit,
} from '../../fixtures/providers/provider.js'
import { changeSettings, service } from '../../fixtures/service.js'
import { aWorld, expectFailure, expectStatus, inDialects } from '../../fixtures/wires.js'

const page = 'https://app.example/after'

inDialects('A provider that is not configured', (wire, { once }) => {
  test('IDP-02 each missing key is named', async () => {
    const { api, project } = await aWorld(wire)
    const keys = Object.entries(providerKeys(project.id))

    for (const [missing] of keys) {
      await changeSettings(project, { idp: Object.fromEntries(keys.filter(([key]) => key !== missing)) })
      const answer = await api.get('/auth-collections/login-idp')
      expectFailure(answer, 400, 'IDP_NOT_CONFIGURED')
      expect(answer.text).toContain(`"${missing} is not set."`)
    }
    await changeSettings(project, { idp: { IDP_CLIENT_ID: 'app', IDP_CLIENT_SECRET: '' } })
    const { text } = await api.get('/login-idp')
    for (const key of ['IDP_CLIENT_SECRET', 'IDP_REDIRECT_URL', 'IDP_COMPLETE_URL']) expect(text).toContain(key)
    expect(text).not.toContain('IDP_CLIENT_ID')
  })

  test.each(['', ' ', 'not an address'])(
    'contract 7.3 a login of which nothing is known ends on a page that there is, beside one that is set to "%s"',
    async (none) => {
      const { project } = await aWorld(wire)
      const google = { IDP_GOOGLE_CLIENT_ID: 'app', IDP_GOOGLE_COMPLETE_URL: page }
      await changeSettings(project, { idp: { IDP_FOO_COMPLETE_URL: none, ...google } })

      const answer = await fetch(`${callbackUrl(project.id)}?code=x&state=made-up`, { redirect: 'manual' })

      expect([answer.status, answer.headers.get('location')]).toEqual([302, `${page}?svc-error=authentication_failed`])
    },
  )

  once(
    'IDP-02 a named provider whose code comes to the service is asked for its page too, before anybody logs in',
    async () => {
      const { api, project } = await aWorld(wire, {
        allowedOrigins: [service.url, page].map((url) => new URL(url).origin),
      })
      const { IDP_REDIRECT_URL: callback, ...others } = Object.fromEntries(
        Object.entries(providerKeys(project.id)).filter(([key]) => key !== 'IDP_COMPLETE_URL'),
      )
      const named = (keys: object) =>
        Object.fromEntries(Object.entries(keys).map(([key, value]) => [key.replace('IDP_', 'IDP_ACME_'), value]))
      const ask = (body: object) => api.post('/auth/oauth/acme/url', body)
      await changeSettings(project, { idp: named({ ...others, IDP_REDIRECT_URL: callback }) })

      for (const body of [{}, { redirectUrl: callback }]) {
        const answer = await ask(body)
        expectFailure(answer, 400, 'IDP_NOT_CONFIGURED')
        expect(answer.text).toContain('"IDP_ACME_COMPLETE_URL is not set."')
      }
      expectStatus(200, await ask({ redirectUrl: page }))
      await changeSettings(project, {
        idp: named({ ...others, IDP_REDIRECT_URL: callback, IDP_CLIENT_ID: '', IDP_COMPLETE_URL: '' }),
      })
      expect((await ask({})).text).toContain('"IDP_ACME_CLIENT_ID is not set. IDP_ACME_COMPLETE_URL is not set."')
      await changeSettings(project, { idp: named({ ...others, IDP_REDIRECT_URL: callback, IDP_COMPLETE_URL: 'x' }) })
      expect((await ask({})).text).toContain('IDP_ACME_COMPLETE_URL is not a URL.')
      await changeSettings(project, { idp: named({ ...others, IDP_REDIRECT_URL: page }) })
      expectStatus(200, await ask({}))
    },
  )
})

inDialects(
  'IDP keys',
  (wire) => {
    test('IDP-01 the four keys lead to the provider and back; the secret is shown to nobody', async () => {
      const { api, owner, project } = await aWorld(wire)
      const keys = providerKeys(project.id)
      await changeSettings(project, { idp: keys })

      const url = await loginUrl(wire, { api })
      const back = await choose(url, await aPerson())
      const { answer } = await comeBack(back)

      expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
        client_id: keys.IDP_CLIENT_ID,
        redirect_uri: keys.IDP_REDIRECT_URL,
      })
      expect([url, back, JSON.stringify(answer)].join()).not.toContain(keys.IDP_CLIENT_SECRET)
      expect((await owner.get('/collections')).text).not.toContain(keys.IDP_CLIENT_SECRET)
    })

    test('contract 11 one key is changed or taken away by itself, and the others stay', async () => {
      const { api, project } = await aWorld(wire)
      await changeSettings(project, { idp: providerKeys(project.id) })
      const set = (idp: Record<string, string>) => control.projects.update({ project: project.id, settings: { idp } })

      const moved = await set({ IDP_REDIRECT_URL: 'https://moved.example/back' })
      const url = new URL(await loginUrl(wire, { api }))
      const { settings } = await set({ IDP_COMPLETE_URL: '' })

      expect(url.searchParams.get('redirect_uri')).toBe('https://moved.example/back')
      expect(moved.settings.idp).toEqual(Object.keys(providerKeys(project.id)).sort())
      expect(settings.idp).toEqual(moved.settings.idp.filter((key) => key !== 'IDP_COMPLETE_URL'))
      expect((await api.get('/login-idp')).text).toContain('"IDP_COMPLETE_URL is not set."')
    })

    test('contract 7.4 the callback of a half-configured project goes to its page, or says what is missing', async () => {
      const { project } = await aWorld(wire)
      await changeSettings(project, { idp: { IDP_COMPLETE_URL: completeUrl } })
      const ending = await comeBack(`${callbackUrl(project.id)}?code=x&state=y`)
      expect(ending).toMatchObject({ page: completeUrl, failure: 'authentication_failed' })

      await changeSettings(project, { idp: { IDP_CLIENT_ID: 'app' } })
      const answer = await visit(`${callbackUrl(project.id)}?code=x&state=y`)
      expectFailure(answer, 400, 'IDP_NOT_CONFIGURED')
      expect(answer.text).toContain('IDP_COMPLETE_URL is not set.')
    })

    test('contract 7.4 an address that is none is said, and no script is ever a page', async () => {
      const { api, project } = await aWorld(wire)
      for (const [key, value] of [
        ['IDP_COMPLETE_URL', 'javascript:alert(1)'],
        ['IDP_REDIRECT_URL', '/relative'],
        ['IDP_REDIRECT_URL', 'https://app.example/back#fragment'],
        ['IDP_ISSUER', 'ftp://provider.example'],
      ] as const) {
        await changeSettings(project, { idp: { ...providerKeys(project.id), [key]: value } })
        const answer = await api.get('/login-idp')
        expectFailure(answer, 400, 'IDP_NOT_CONFIGURED')
        expect(answer.text).toContain(key)
      }
    })

    test('contract 7.1 well-known providers need no addresses, by their own name or as the issuer', async () => {
      const { api, project } = await aWorld(wire)
      const keys = fourKeys(project.id)
      const named = Object.fromEntries(
        Object.entries(keys).map(([key, value]) => [key.replace('IDP_', 'IDP_GITHUB_'), value]),
      )
      await changeSettings(project, { idp: { ...keys, ...named, IDP_ISSUER: 'GitHub' } })

      const own = await api.post('/auth/oauth/github/url', {})
      const main = await api.get('/login-idp')

      for (const { body } of [own, main]) {
        const url = new URL((body as { url: string }).url)
        expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize')
        expect(url.searchParams.get('scope')).toBe('read:user user:email')
      }
    })

    test('contract 7.1 scopes may be named; a provider with an issuer is always asked who it is', async () => {
      const { api, project } = await aWorld(wire)
      await changeSettings(project, { idp: { ...providerKeys(project.id), IDP_SCOPES: 'email, phone' } })

      const url = new URL(await loginUrl(wire, { api }))

      expect(url.searchParams.get('scope')).toBe('openid email phone')
    })

    test('contract 7.1 of three addresses, those that are missing are named; no name leads to what is not a provider', async () => {
      const { api, project } = await aWorld(wire)
      await changeSettings(project, {
        idp: { ...fourKeys(project.id), IDP_TOKEN_URL: 'https://provider.example/token' },
      })

      const { text } = await api.get('/login-idp')
      const other = await api.post('/auth/oauth/constructor/url', {})

      expect(text).toContain('"IDP_AUTHORIZATION_URL is not set. IDP_USERINFO_URL is not set."')
      expectFailure(other, 400, 'IDP_NOT_CONFIGURED')
    })

    test('contract 7.2 without any setting the built-in provider and a page of the service are used', async () => {
      const world = await aWorld(wire)

      const { page, token, answer } = await logInThrough(wire, world, await aPerson())
      const shown = await visit(String(answer.headers.location))

      expect(page).toBe(`${service.url}/_svc/login-complete`)
      expect(shown.text).toContain(String(token))
      expect(shown.headers['content-security-policy']).toContain("default-src 'none'")
    })
  },
  ['a'],
)
