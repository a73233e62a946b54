/** The secret is changed by the guide, on two processes that are at work: what goes on, and what does not. */
import { generate } from 'otplib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../client/index.js'
import { emptyLedger, upload, write } from '../fixtures/ledger.js'
import { type MailSink, startMailSink } from '../fixtures/mail/mail-sink.js'
import { type Mail, tokenIn } from '../fixtures/mail/mails.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServedProject, type ServeWorld } from '../fixtures/serve.js'

let world: ServeWorld
let mails: MailSink
beforeAll(async () => {
  ;[world, mails] = await Promise.all([openServeWorld(), startMailSink()])
})
afterAll(async () => {
  mails.close()
  await world.close()
})

const password = 'Correct horse 1'
const complete = 'https://shop.example/done'
const provider = {
  ...{ IDP_CLIENT_ID: 'shop', IDP_CLIENT_SECRET: 'shop-secret', IDP_COMPLETE_URL: complete },
  ...{ IDP_REDIRECT_URL: 'https://shop.example/back', IDP_AUTHORIZATION_URL: 'https://idp.example/authorize' },
  ...{ IDP_TOKEN_URL: 'https://idp.example/token', IDP_USERINFO_URL: 'https://idp.example/me' },
}

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly location: string | null
}

const askWith =
  ({ apiKey }: ServedProject) =>
  async (url: string, path: string, body?: object, token?: string): Promise<Answer> => {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const headers = { ...authorization, 'x-api-key': apiKey, 'content-type': 'application/json', 'svc-dialect': 'b' }
    const response = await fetch(`${url}${path}`, {
      ...{ headers, redirect: 'manual' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const location = response.headers.get('location')
    return { status: response.status, body: await response.json().catch(() => ({})), location }
  }

async function mailTo(address: string): Promise<Mail> {
  return (await fetch(`${mails.url}/_svc/api/mail/wait?to=${address}`)).json() as Promise<Mail>
}

it('logs all users out, and nothing else is lost', async () => {
  const env = { SVC_SMTP_URL: mails.smtpUrl }
  const [here, there] = await Promise.all([world.startWith(env), world.startWith(env)])
  const project = await here.newProject({ idp: provider })
  const ask = askWith(project)
  const signUp = async (email: string) =>
    String((await ask(here.url, '/auth-collections/signup', { email, password })).body.token)
  const logIn = (url: string, email: string) => ask(url, '/auth-collections/login', { email, password })
  const me = async (url: string, token: string) => (await ask(url, '/auth-collections/me', undefined, token)).status

  // A user with an authenticator is half-way through a login, and another has been mailed a link.
  const ada = await signUp('ada@example.com')
  const secret = String((await ask(here.url, '/auth/2fa/enable', {}, ada)).body.secret)
  const enrolled = await ask(here.url, '/auth/2fa/verify', { code: await generate({ secret }) }, ada)
  const [code] = enrolled.body.recovery_codes as string[]
  expect((await logIn(there.url, 'ada@example.com')).body).toMatchObject({ requires_2fa: true })
  const bob = await signUp('bob@example.com')
  await ask(there.url, '/auth/request-password-reset', { email: 'bob@example.com' })
  const resetToken = tokenIn(await mailTo('bob@example.com'))
  const { url: departure } = (await ask(here.url, '/auth-collections/login-idp')).body
  const state = new URL(String(departure)).searchParams.get('state')
  const scoped = (
    await here.admin<{ key: string }>('POST', `/projects/${project.id}/keys`, { name: 'r', scopes: ['read:entries'] })
  ).key
  expect([await me(here.url, ada), await me(there.url, bob)]).toEqual([200, 200])
  await project.owner.collections.create({ name: 'entries' })
  const ledger = emptyLedger()
  const at = (url: string) => createClient<{ entries: { n: number } }>({ url, apiKey: project.secretKey })
  const work = [write(at(here.url), ledger), write(at(there.url), ledger), upload(at(there.url), ledger)]
  await expect.poll(() => Math.min(ledger.acknowledged.size, 10 * ledger.files.size), patiently).toBeGreaterThan(20)

  // One that is left running is told of.
  await here.stop()
  const next = { ...env, SVC_SECRET: 'the-next-secret-that-is-long-enough-to-be-one' }
  const rotated = await world.run(['rotate', '--yes', '--quiet'], next)
  expect(rotated).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('1 process still runs with the old secret.'),
  })
  ledger.isOver = true
  await there.stop()
  await Promise.all(work)
  const { url, stop } = await world.startWith(next)

  expect([await me(url, ada), await me(url, bob)]).toEqual([401, 401])
  const left = await ask(url, `/auth-collections/auth-idp-redirect/${project.id}?code=1&state=${state}`)
  expect(left.location).toBe(`${complete}?svc-error=authentication_failed`)
  const finished = await ask(url, '/auth-collections/verify-2fa-login', { email: 'ada@example.com', code })
  expect([finished.status, await me(url, String(finished.body.token))]).toEqual([200, 200])
  const reset = await ask(url, '/auth/reset-password', { token: resetToken, newPassword: 'Better horse 2' })
  expect(reset.status).toBe(200)
  expect((await logIn(url, 'bob@example.com')).status).toBe(401)
  const found: number[] = []
  const entries = createClient<{ entries: { n: number } }>({ url, apiKey: scoped }).collection('entries')
  for await (const { data } of entries.iterate()) found.push(data.n)
  expect([...ledger.acknowledged].filter((n) => !found.includes(n))).toEqual([])
  for (const [address, text] of ledger.files) {
    expect(await (await fetch(address.replace(there.url, url))).text()).toBe(text)
  }
  await stop()
})
