import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

// The commands for passwords, sessions and named providers.

let world: World
let url: string

beforeAll(async () => {
  world = await openWorld()
  ;({ url } = await world.dev('--memory'))
})
afterAll(() => world.close())

const email = 'ada@example.com'
const password = 'Correct4Horse'

async function logIn(given: string): Promise<string> {
  const { token } = (await world.json(['users', 'login', email, '--password', given])) as { token: string }
  return token
}

async function statusOf(token: string): Promise<number> {
  const answer = await fetch(`${url}/auth-collections/me`, { headers: { authorization: `Bearer ${token}` } })
  return answer.status
}

test('svc users password change takes the old one and the new one, and ends all other sessions', async () => {
  await world.json(['users', 'signup', email, '--password', password])
  const before = await logIn(password)

  const wrong = await world.svc([
    'users',
    'password',
    'change',
    email,
    '--password',
    'Wrong4Horse',
    '--new-password',
    'New4Horses',
  ])
  const env = { SVC_PASSWORD: password, SVC_NEW_PASSWORD: 'New4Horses' }
  const changed = await world.json(['users', 'password', 'change', email], { env })

  expect(wrong).toMatchObject({ exit: 3, stdout: '', stderr: expect.stringContaining('current password is wrong') })
  expect(changed).toEqual({ user: email, changed: true })
  expect(await statusOf(before)).toBe(401)
  await logIn('New4Horses')
})

test('a new password is asked for, and without a terminal it says how to give it', async () => {
  const { exit, stderr } = await world.svc(['users', 'password', 'change', email, '--password', 'New4Horses'])

  expect(exit).toBe(2)
  expect(stderr).toContain('SVC_NEW_PASSWORD')
})

test('svc users password request-reset mails a link, and reset takes its token once', async () => {
  expect(await world.json(['users', 'password', 'request-reset', email])).toEqual({ email })
  const { stdout } = await world.svc(['mail', 'wait', '--to', email, '--link'])
  const token = new URL(stdout.trim()).searchParams.get('token') ?? ''
  const reset = ['users', 'password', 'reset', '--token', token, '--new-password', 'Other4Horses']

  expect(await world.json(reset)).toEqual({ changed: true })
  expect((await world.svc(reset)).exit).toBe(3)
  await logIn('Other4Horses')
})

test('svc users logout ends one session with its token, and all of them without', async () => {
  const [one, two, three] = [await logIn('Other4Horses'), await logIn('Other4Horses'), await logIn('Other4Horses')]

  expect(await world.json(['users', 'logout', email, '--token', one])).toEqual({ user: email, sessions: 'one' })
  expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200])
  expect(await world.json(['users', 'logout', email])).toEqual({ user: email, sessions: 'all' })
  expect([await statusOf(two), await statusOf(three)]).toEqual([401, 401])
})

test('a token of another user changes nobody, and says so', async () => {
  const other = { email: 'bob@example.com', password: 'Correct4Horse' }
  await world.json(['users', 'signup', other.email, '--password', other.password])
  const { token } = (await world.json(['users', 'login', other.email, '--password', other.password])) as {
    token: string
  }
  const change = ['--password', other.password, '--new-password', 'New4Horses', '--token', token]

  for (const command of [
    ['users', 'password', 'change', email, ...change],
    ['users', '2fa', 'enable', email, '--token', token],
    ['users', 'logout', email, '--token', token],
  ]) {
    const { exit, stdout, stderr } = await world.svc(command)
    expect({ exit, stdout, stderr }).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringContaining('The token belongs to '),
    })
  }
  expect(await statusOf(token)).toBe(200)
  await world.json(['users', 'password', 'change', other.email.toUpperCase(), ...change])
})

test('the token of a mail to another user verifies nobody in the name of the user who is named', async () => {
  const eve = 'eve@example.com'
  const { token } = (await world.json(['users', 'signup', eve, '--password', password])) as { token: string }
  await world.json(['users', 'signup', 'verified@example.com', '--password', password])
  await world.json(['users', 'verify', 'verified@example.com'])
  await fetch(`${url}/auth/request-verification`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  const { stdout } = await world.svc(['mail', 'wait', '--to', eve, '--link'])
  const mailed = new URL(stdout.trim()).searchParams.get('token') ?? ''
  const isVerified = async () => ((await world.json(['users', 'get', eve])) as { emailVerified: boolean }).emailVerified

  const already = await world.svc(['users', 'verify', 'verified@example.com', '--token', mailed])
  const before = await isVerified()
  const other = await world.svc(['users', 'verify', email, '--token', mailed])

  expect(already).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('is verified already') })
  expect(before).toBe(false)
  expect(other).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining(`${email} is not`) })
  expect(await isVerified()).toBe(true)
})

test('svc users update says which half was done where the other is refused', async () => {
  await world.json(['project', 'set', 'trustDataRole:=true'])

  const refused = await world.svc(['users', 'update', email, '--role', 'editor', 'role=admin'])

  await world.json(['project', 'set', 'trustDataRole:=false'])
  expect(refused).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('Roles and verification were changed, but not the data.'),
  })
})

test('svc idp url and callback log in at a named provider', async () => {
  const page = 'http://localhost:5173/after-login'
  const begun = (await world.json(['idp', 'url', 'google', '--redirect-url', page, '--scope', 'calendar'])) as {
    url: string
    state: string
  }
  expect(new URL(begun.url).searchParams.get('scope')).toContain('calendar')
  const chosen = await fetch(begun.url, {
    method: 'POST',
    body: new URLSearchParams({ account: 'grace' }),
    redirect: 'manual',
  })
  const back = new URL(String(chosen.headers.get('location')))
  const callback = ['idp', 'callback', 'google', '--state', begun.state, '--code', back.searchParams.get('code') ?? '']

  const { stdout, exit } = await world.svc(callback)

  expect([back.origin + back.pathname, exit]).toEqual([page, 0])
  expect(await statusOf(stdout.trim())).toBe(200)
  expect((await world.svc(callback)).exit).toBe(3)
  expect((await world.svc(['idp', 'url', 'google', '--redirect-url', page])).stdout).toMatch(/^http:\S+\n$/)
})

test('who logs in through a provider is led there, and to no mail', async () => {
  const { exit } = await world.svc(['users', 'login', 'grace@example.com', '--password', password])
  const [refused] = (await world.json(['requests', 'list', '--status', '401', '--limit', '1'])) as { id: string }[]

  const why = await world.json(['requests', 'show', refused?.id ?? '', '--why'])

  expect(exit).toBe(3)
  expect(why).toMatchObject({
    missing: expect.stringContaining('through an identity provider'),
    mends: [{ command: 'svc idp login' }],
  })
})

test('a provider that nobody has set up is named', async () => {
  const { exit, stderr } = await world.svc(['idp', 'url', 'gogle', '--redirect-url', 'http://localhost:5173'])

  expect(exit).toBe(5)
  expect(stderr).toContain('No provider "gogle"')
})
