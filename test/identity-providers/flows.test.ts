import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Control } from '../../client/control.js'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { controlOf } from '../fixtures/requests/emulator-control.js'

let emulator: Emulator
let control: Control

beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
  control = controlOf(emulator)
})
afterAll(() => emulator?.close())

/** Goes from page to page as a browser does, without one; answers every address on the way. */
async function logIn(account: string): Promise<string[]> {
  const headers = { 'x-api-key': emulator.apiKey }
  const started = await fetch(`${emulator.url}/auth-collections/login-idp`, { headers })
  const { url } = (await started.json()) as { url: string }
  await fetch(url)
  let answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ account }), redirect: 'manual' })
  const addresses = [url]
  while (answer.headers.has('location')) {
    addresses.push(answer.headers.get('location') ?? '')
    answer = await fetch(addresses.at(-1) ?? '', { redirect: 'manual' })
  }
  return addresses
}

const secretNames = ['state', 'nonce', 'code', 'svc-super-token']

it('the last flows show each hop of a login with its claims, and nothing that opens anything', async () => {
  const { id: account } = await control.idp.accounts.add({ id: 'mary', claims: { locale: 'en', api_token: 'hidden' } })

  const addresses = await logIn(account)

  const { flows } = await control.idp.flows.list({ project: emulator.projectId })
  const [flow] = flows
  expect(flow).toMatchObject({ provider: 'idp', outcome: 'succeeded' })
  const token = flow?.hops.find(({ kind }) => kind === 'token')
  const profile = flow?.hops.find(({ kind }) => kind === 'profile')
  expect(flow?.hops.map(({ kind, method, status }) => [kind, method, status])).toEqual([
    ['start', 'GET', 200],
    ['authorize', 'GET', 200],
    ['account', 'POST', 303],
    ['callback', 'GET', 302],
    ['token', 'POST', 200],
    ['profile', 'GET', 200],
    ['app', 'GET', null],
  ])
  expect(token).toMatchObject({
    request: { grant_type: 'authorization_code', code: expect.stringMatching(/^…\(\d+\)$/), code_verifier: '…(43)' },
    answer: { token_type: 'Bearer', access_token: expect.stringMatching(/^…\(\d+\)$/) },
    claims: { sub: 'mary' },
  })
  expect(profile).toMatchObject({
    request: { authorization: expect.stringMatching(/^Bearer …\(\d+\)$/) },
    claims: { email: 'mary@example.com', locale: 'en', api_token: '…(6)' },
  })
  const secrets = addresses.flatMap((address) => secretNames.map((name) => new URL(address).searchParams.get(name)))
  const found = secrets.filter((secret) => secret !== null)
  expect(found).toHaveLength(5)
  const shown = JSON.stringify(flows)
  for (const secret of [...found, 'hidden', 'eyJ']) expect(shown).not.toContain(secret)
})

it('a login that fails says at which hop and why', async () => {
  await control.idp.faults.set({ fault: 'no-profile', times: 1 })

  await logIn('ada')

  const [flow] = (await control.idp.flows.list({})).flows
  expect(flow).toMatchObject({ outcome: 'failed_to_get_user_info' })
  expect(flow?.hops.find(({ kind }) => kind === 'profile')).toMatchObject({
    status: 500,
    answer: { error: 'server_error' },
  })
})

it('the last 20 are kept, and a state that nobody left with is of none of them', async () => {
  const before = await control.idp.flows.list({})
  const forged = `${emulator.url}/auth-collections/auth-idp-redirect/${emulator.projectId}?state=forged&code=x`
  await fetch(forged, { redirect: 'manual' })
  expect(await control.idp.flows.list({})).toEqual(before)

  const completeUrl = 'http://127.0.0.1:1/done'
  for (let i = 0; i < 21; i++) await control.idp.logins.start({ project: emulator.projectId, completeUrl })

  const { flows } = await control.idp.flows.list({})
  expect(flows).toHaveLength(20)
  expect(flows.every(({ outcome }) => outcome === null)).toBe(true)
})
