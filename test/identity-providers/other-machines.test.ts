import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { send } from '../fixtures/requests/http.js'

let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator({ memory: true, hosts: ['phone.example', 'tunnel.example'] })
})
afterAll(() => emulator?.close())

const [outside] = Object.values(networkInterfaces())
  .flat()
  .filter((address) => address?.family === 'IPv4' && !address.internal)

// A machine without a network has no address that others can reach.
test.skipIf(!outside)(
  'contract 7.2 and 7.3 other machines may log in where they are let in, in one browser, and change no account',
  async () => {
    const host = String(outside?.address)
    const emulator = await startEmulator({ memory: true, host, hosts: [host] })
    try {
      const answer = await fetch(`${emulator.url}/login-idp`, { headers: { 'x-api-key': emulator.apiKey } })
      const start = await fetch(((await answer.json()) as { url: string }).url, { redirect: 'manual' })
      const cookie = String(start.headers.get('set-cookie')).replace(/;.*/, '')
      const url = new URL(String(start.headers.get('location')))
      const post = (path: string, form: Record<string, string>) =>
        fetch(`${url.origin}/_svc/idp/${path}${url.search}`, {
          method: 'POST',
          body: new URLSearchParams(form),
          redirect: 'manual',
        })

      const added = await post('accounts', { change: 'add', name: 'Eve' })
      const kept = await post('authorize', { account: 'ada', fault: 'down', keep: 'on' })
      const chosen = await post('authorize', { account: 'ada' })
      const callback = String(chosen.headers.get('location'))
      const stranger = await fetch(callback, { redirect: 'manual' })
      const back = await fetch(callback, { redirect: 'manual', headers: { cookie } })

      expect([added.status, kept.status]).toEqual([403, 403])
      expect(stranger.headers.get('location')).toContain('svc-error=authentication_failed')
      expect(back.headers.get('location')).toContain('svc-super-token=')
    } finally {
      await emulator.close()
    }
  },
)

/** Logs in as a browser does that reaches the emulator under this name, whatever the addresses say. */
async function logInUnder(host: string, { url, apiKey }: { url: string; apiKey: string }, { to = host } = {}) {
  const ask = (address: string, more: { headers?: Record<string, string>; method?: string; body?: string } = {}) => {
    const { pathname, search } = new URL(address)
    const { method = 'GET', headers, body } = more
    return send(url, { method, path: pathname + search, headers: { host: to, ...headers }, body })
  }
  const headers = { host, 'x-api-key': apiKey, 'sec-fetch-site': 'same-origin' }
  const asked = await send(url, { method: 'GET', path: '/login-idp', headers })
  const start = (asked.body as { url: string }).url
  const { headers: left } = await ask(start)
  const page = String(left.location)
  const shown = await ask(page)
  const [, form = ''] = /<form method="post" action="([^"]*authorize[^"]*)"/.exec(shown.text) ?? []
  const chosen = await ask(form.replaceAll('&#38;', '&'), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'account=ada',
  })
  const callback = String(chosen.headers.location)
  const back = await ask(callback, { headers: { cookie: String(left['set-cookie']).replace(/;.*/, '') } })
  const end = String(back.headers.location)
  return { addresses: [start, page, form, callback, end], end }
}

const originsOf = (addresses: readonly string[]) => [...new Set(addresses.map((address) => new URL(address).origin))]

async function uploadUnder(host: string, { url, apiKey }: { url: string; apiKey: string }) {
  const form = new FormData()
  form.append('file', new Blob(['x']), 'a.txt')
  const request = new Request(url, { method: 'POST', body: form })
  const headers = { host, 'x-api-key': apiKey, 'content-type': String(request.headers.get('content-type')) }
  const path = '/storage/upload'
  const { body } = await send(url, { method: 'POST', path, headers, body: await request.text() })
  return (body as { url: string }).url
}

test('addresses of files and logins begin with the allowed host that a request names, and with no other', async () => {
  const { addresses, end } = await logInUnder('phone.example:4400', emulator)
  const here = await logInUnder('localhost:5173', emulator)

  expect(originsOf(addresses)).toEqual(['http://phone.example:4400'])
  expect(end).toContain('svc-super-token=')
  expect(originsOf(here.addresses)).toEqual([emulator.url])
  expect(here.end).toContain('svc-super-token=')
  expect(originsOf([await uploadUnder('phone.example:4400', emulator)])).toEqual(['http://phone.example:4400'])
  expect(originsOf([await uploadUnder('localhost:5173', emulator)])).toEqual([emulator.url])
  const strange = { host: 'strange.example', 'x-api-key': emulator.apiKey }
  expect(await send(emulator.url, { method: 'GET', path: '/login-idp', headers: strange })).toMatchObject({
    status: 403,
    headers: { 'svc-error-code': 'FORBIDDEN' },
  })
})

test('with a public address, addresses begin with it whichever allowed host is named', async () => {
  const publicUrl = 'https://shop.example'
  const emulator = await startEmulator({ memory: true, hosts: ['phone.example'], publicUrl })
  onTestFinished(() => emulator.close())

  for (const host of ['phone.example', 'shop.example', 'localhost']) {
    const { addresses, end } = await logInUnder(host, emulator, { to: 'shop.example' })

    expect(originsOf(addresses)).toEqual([publicUrl])
    expect(end).toContain('svc-super-token=')
    expect(originsOf([await uploadUnder(host, emulator)])).toEqual([publicUrl])
  }
})

test.each(['shop.example', 'https://shop.example/api', 'ftp://shop.example'])(
  '"%s" is not a public address',
  async (publicUrl) => {
    await expect(startEmulator({ memory: true, publicUrl })).rejects.toMatchObject({ code: 'PUBLIC_URL_INVALID' })
  },
)

const throughProxies: Record<string, string>[] = [
  { 'x-forwarded-for': '203.0.113.7' },
  { forwarded: 'for=203.0.113.7' },
  { host: 'tunnel.example' },
]

test.each(throughProxies)(
  'contract 7.3 a login that is asked for through a proxy of this machine (%j) is one browser’s',
  async (headers) => {
    const asked = { headers: { 'x-api-key': emulator.apiKey, 'content-type': 'application/json', ...headers } }

    const main = await send(emulator.url, { method: 'GET', path: '/login-idp', ...asked })
    const named = await send(emulator.url, { method: 'POST', path: '/auth/oauth/google/url', body: '{}', ...asked })

    for (const { text } of [main, named]) expect(text).toContain('/start?state=')
  },
)

test.each(throughProxies)(
  'contract 7.2 who comes through a proxy of this machine (%j) may log in, and changes no account',
  async (headers) => {
    const answer = await fetch(`${emulator.url}/login-idp`, { headers: { 'x-api-key': emulator.apiKey } })
    const url = new URL(((await answer.json()) as { url: string }).url)
    const post = async (path: string, form: Record<string, string>, headers = {}) => {
      const body = new URLSearchParams(form).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded', host: url.host }
      const outgoing = {
        method: 'POST',
        path: `/_svc/idp/${path}${url.search}`,
        headers: { ...type, ...headers },
        body,
      }
      return send(url.origin, outgoing)
    }

    const { added, ...others } = {
      added: await post('accounts', { change: 'add', name: 'Eve' }, headers),
      removed: await post('accounts', { change: 'remove', id: 'ada' }, headers),
      kept: await post('authorize', { account: 'ada', fault: 'down', keep: 'on' }, headers),
      chosen: await post('authorize', { account: 'ada' }, headers),
      own: await post('accounts', { change: 'add', name: `Eve ${Object.keys(headers)}` }),
    }

    expect(added).toMatchObject({ status: 403, text: expect.stringContaining('localhost') })
    expect(others).toMatchObject({
      removed: { status: 403 },
      kept: { status: 403 },
      chosen: { status: 303 },
      own: { status: 303 },
    })
  },
)
