import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { providerFaults } from '../../client/protocol/model/provider-login.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { type OpenBrowser, openChromium } from '../fixtures/chromium.js'
import { bundle } from '../fixtures/packages/bundle.js'
import { serveForeignProvider } from '../fixtures/providers/foreign-provider.js'
import { type AppPage, serveAppPage } from '../fixtures/servers.js'

// The redirect flow as a person goes through it: real pages, real redirects, in a real browser.

let emulator: Emulator
let chromium: OpenBrowser
let app: AppPage
let page: Page
let complaints: string[]

beforeAll(async () => {
  const providerTimeout = 3_000
  ;[emulator, chromium, app] = await Promise.all([
    startEmulator({ memory: true, providerTimeout }),
    openChromium(),
    serveAppPage(),
  ])
})
afterAll(async () => {
  await chromium?.close()
  await Promise.all([emulator?.close(), app?.close()])
})

beforeEach(async () => {
  complaints = []
  page = await chromium.newPage()
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
})
afterEach(() => page.close())

/** The address that the app sends the browser to. */
async function loginUrl(idp: Record<string, string> = {}): Promise<string> {
  const body = JSON.stringify({ settings: { idp } })
  const { id, apiKey } = await ask('POST', '/_svc/api/projects', body)
  if (Object.keys(idp).length > 0) {
    const redirect = { IDP_REDIRECT_URL: callback(id), IDP_COMPLETE_URL: `${app.url}/done?kept=yes` }
    await ask('PATCH', `/_svc/api/projects/${id}`, JSON.stringify({ settings: { idp: { ...redirect, ...idp } } }))
  }
  const answer = await fetch(`${emulator.url}/auth-collections/login-idp`, { headers: { 'x-api-key': apiKey } })
  return ((await answer.json()) as { url: string }).url
}

async function ask(method: string, path: string, body: string): Promise<{ id: string; apiKey: string }> {
  const headers = { 'svc-control-token': emulator.controlToken, 'content-type': 'application/json' }
  const answer = await fetch(`${emulator.url}${path}`, { method, headers, body })
  expect(answer.ok).toBe(true)
  return answer.json() as Promise<{ id: string; apiKey: string }>
}

function callback(project: string): string {
  return `${emulator.url}/auth-collections/auth-idp-redirect/${project}`
}

/** The parameters in the address of the app's page. */
async function outcome(): Promise<Record<string, string>> {
  await page.waitForURL(`${app.url}/**`)
  return Object.fromEntries(new URL(page.url()).searchParams)
}

const ownKeys = { IDP_CLIENT_ID: 'app', IDP_CLIENT_SECRET: 'secret' }

describe('With the built-in provider', () => {
  test('IDP-04 a click on an account logs in, and a page of the service shows the token', async () => {
    await page.goto(await loginUrl())
    await page.getByRole('button', { name: 'Ada Lovelace' }).click()
    await page.waitForURL(/login-complete/)

    const token = new URL(page.url()).searchParams.get('svc-super-token')
    expect(await page.getByLabel('svc-super-token').inputValue()).toBe(token)
    const me = await fetch(`${emulator.url}/auth-collections/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(await me.json()).toMatchObject({ email: 'ada@example.com', oauth_id: 'ada' })
    expect(complaints).toEqual([])
  })

  test('IDP-04 an app on another origin gets the token, its own query, and no referrer', async () => {
    await page.goto(await loginUrl(ownKeys))
    app.visits.length = 0
    await page.getByRole('button', { name: 'Grace Hopper' }).click()

    expect(await outcome()).toEqual({
      kept: 'yes',
      'svc-super-token': expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    })
    expect(app.visits.map(({ headers }) => headers.referer)).toEqual([undefined])
    expect(complaints).toEqual([])
  })

  const shown = Object.entries(providerFaults).filter(([fault]) => fault !== 'cancelled')

  test.each(shown)(
    'IDP-11 a person who chooses "%s" sees that the app learns of it',
    async (_fault, { says, endsIn }) => {
      await page.goto(await loginUrl(ownKeys))
      await page.getByLabel('The provider').selectOption(says)
      await page.getByRole('button', { name: 'Ada Lovelace' }).click()

      expect(await outcome()).toEqual({ kept: 'yes', 'svc-error': endsIn })
    },
  )

  test('IDP-11 a person may cancel', async () => {
    await page.goto(await loginUrl(ownKeys))
    await page.getByRole('button', { name: 'Cancel the login' }).click()

    expect(await outcome()).toEqual({ kept: 'yes', 'svc-error': 'authentication_failed' })
  })

  test('contract 7.2 a person adds an account, edits it, and logs in with it', async () => {
    await page.goto(await loginUrl(ownKeys))
    await page.getByText('Add an account').click()
    const adding = page.locator('details', { hasText: 'Add an account' })
    await adding.getByLabel('Name').fill('Mary Somerville')
    await adding.getByLabel('Email', { exact: true }).fill('mary@example.com')
    await adding.getByRole('button', { name: 'Add' }).click()

    await page.getByText('Edit accounts').click()
    const editing = page.locator('details details', { hasText: 'Mary Somerville' })
    await editing.locator('summary').click()
    await editing.getByLabel('More claims').fill('{"locale": "en-GB"}')
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Mary Somerville' }).click()

    expect(await outcome()).toHaveProperty('svc-super-token')
    expect(complaints).toEqual([])
  })
})

/** Code of an app's page, with the client. */
async function inApp(work: 'start' | 'finish', code: string, apiKey: string): Promise<unknown> {
  const given = JSON.stringify({ code, url: emulator.url, apiKey })
  return page.evaluate(`(async ({ code, url, apiKey }) => {
    const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
    const { createClient } = await import(address)
    const { auth } = createClient({ url, apiKey })
    if ('${work}' === 'finish') return (await auth.finishLogin()).user.email
    await auth.redirectToLogin({ returnTo: location.origin + '/cart?n=1' })
  })(${given})`)
}

describe('An app with the client', () => {
  test('contract 7.3 redirectToLogin({ returnTo }) leaves with this browser and comes back to that page, signed in', async () => {
    const { code } = await bundle(fileURLToPath(new URL('../../client/index.ts', import.meta.url)))
    const { id, apiKey } = await ask('POST', '/_svc/api/projects', '{}')
    const asked: string[] = []
    page.on('request', (request) => request.isNavigationRequest() && asked.push(request.url()))
    await page.goto(`${app.url}/`)

    // The page is left before it has an answer.
    await inApp('start', code, apiKey).catch(() => undefined)
    await page.getByRole('button', { name: 'Grace Hopper' }).click()
    await page.waitForURL(`${app.url}/cart?n=1&svc-super-token=*`)

    expect(asked.filter((url) => url.startsWith(`${callback(id)}/start?state=`))).toHaveLength(1)
    expect(await inApp('finish', code, apiKey)).toBe('grace@example.com')
    expect(page.url()).toBe(`${app.url}/cart?n=1`)
  })
})

describe('With a provider of somebody else', () => {
  test('IDP-04 the provider’s own pages lead to a user and a token, and IDP-13 an unverified email does not', async () => {
    const { id } = await ask('POST', '/_svc/api/projects', '{}')
    const foreign = await serveForeignProvider(callback(id))
    try {
      const idp = {
        IDP_ISSUER: foreign.url,
        IDP_CLIENT_ID: foreign.clientId,
        IDP_CLIENT_SECRET: foreign.clientSecret,
        IDP_REDIRECT_URL: callback(id),
        IDP_COMPLETE_URL: `${app.url}/done`,
      }
      await ask('PATCH', `/_svc/api/projects/${id}`, JSON.stringify({ settings: { idp } }))
      const logIn = async (name: string) => {
        const context = await chromium.newContext()
        page = await context.newPage()
        await page.goto(await startUrl(id))
        await page.locator('input[name=login]').fill(name)
        await page.locator('input[name=password]').fill('whatever')
        await page.locator('button[type=submit]').click()
        await page.locator('button[type=submit]', { hasText: 'Continue' }).click()
        return outcome()
      }

      const { 'svc-super-token': token } = await logIn('hedy')
      const me = await fetch(`${emulator.url}/auth-collections/me`, { headers: { authorization: `Bearer ${token}` } })

      expect(await me.json()).toMatchObject({
        email: 'hedy@people.example',
        oauth_id: 'hedy',
        data: { username: 'hedy of the people' },
      })
      expect(await logIn('unknown')).toEqual({ 'svc-error': 'no_email_provided' })
    } finally {
      await foreign.close()
    }
  })
})

/** A login of that project, as its owner starts one. */
async function startUrl(project: string): Promise<string> {
  const completeUrl = `${app.url}/done`
  const { url } = (await ask('POST', '/_svc/api/idp/logins', JSON.stringify({ project, completeUrl }))) as unknown as {
    url: string
  }
  return url
}
