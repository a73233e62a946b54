import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { type Ask, type Asked, askerOf } from '../../fixtures/requests/ask.js'

// Contract 6.12: which logins failed attempts delay, for how long, and which never. The clock stands still unless a test moves
// it: a wait of a second would be over on a busy machine. Most failures are wrong codes, since those are not hashed.

let emulator: Emulator
let ask: Ask
beforeAll(async () => {
  emulator = await startEmulator({ memory: true, trustedProxies: 1, now: () => new Date('2030-01-01T00:00:00Z') })
  ask = askerOf(emulator)
})
afterEach(() => ask('DELETE', '/_svc/api/clock'))
afterAll(() => emulator.close())

const password = 'Correct4Horse'
const minutes = (count: number) => count * 60_000

const advance = (milliseconds: number) => ask('PATCH', '/_svc/api/clock', { advance: milliseconds })
const settings = (settings: object) => ask('PATCH', `/_svc/api/projects/${emulator.projectId}`, { settings })

let count = 0
type User = Readonly<Record<'id' | 'email' | 'token', string>>

async function aUser(): Promise<User> {
  const signedUp = await ask('POST', '/auth-collections/signup', { email: `ada.${++count}@example.com`, password })
  const { id, email, token } = signedUp.body
  return { id: String(id), email: String(email), token: String(token) }
}

/** Asks as a client behind a proxy that reports this address. */
async function askFrom(forwarded: string, path: string, body: object): Promise<Asked> {
  const headers = { 'x-api-key': emulator.apiKey, 'content-type': 'application/json', 'x-forwarded-for': forwarded }
  const answer = await fetch(`${emulator.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Asked['body'] }
}

const logIn = ({ email }: Pick<User, 'email'>, given = password, forwarded = '198.51.100.1') =>
  askFrom(forwarded, '/auth-collections/login', { email, password: given })
const sendCode = (email: string, forwarded = '198.51.100.1') =>
  askFrom(forwarded, '/auth-collections/verify-2fa-login', { email, code: 'no code' })
const retryAfter = ({ headers }: Asked) => Number(headers.get('retry-after'))

function outcome({ status, body }: Asked): unknown {
  return [status, (body.error as { code?: string } | undefined)?.code]
}

/** Fails that often, one after the other; answers the last refusal. */
async function fail({ token }: Pick<User, 'token'>, times: number): Promise<unknown> {
  let last: Asked | undefined
  for (let time = 0; time < times; time++) last = await ask('POST', '/auth/2fa/verify', { code: 'no code' }, token)
  return last && outcome(last)
}

const refused = [401, 'INVALID_CREDENTIALS']
const waits = [429, 'RATE_LIMITED']

it('contract 6.12 the tenth failure within 15 minutes starts a wait, and older ones do not count', async () => {
  const user = await aUser()

  await fail(user, 1)
  await advance(minutes(14))
  await fail(user, 8)
  await advance(minutes(2))
  expect(await fail(user, 1)).toEqual(refused)
  expect(await fail(user, 1)).toEqual(refused)
  expect(outcome(await logIn(user))).toEqual(waits)
  expect(retryAfter(await logIn(user))).toBe(1)
})

it('contract 6.12 a failure now and then never adds up', async () => {
  const user = await aUser()

  for (let time = 0; time < 30; time++) {
    expect(await fail(user, 1)).toEqual(refused)
    await advance(minutes(2))
  }
})

it('contract 6.12 the wait grows to a minute at most, and a right login clears it', async () => {
  const user = await aUser()
  await fail(user, 10)

  const seconds: number[] = []
  for (let time = 0; time < 9; time++) {
    const wait = retryAfter(await sendCode(user.email))
    seconds.push(wait)
    await advance(wait * 1_000)
    expect(await fail(user, 1)).toEqual(refused)
  }
  await advance(minutes(1))
  const right = await logIn(user)

  expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  expect(right.status).toBe(200)
  expect(await fail(user, 9)).toEqual(refused)
})

const codeOf = async ({ id }: User) => (await ask('GET', `/_svc/api/users/${id}/code`)).body.code

/** Turns two-factor login on, with an authenticator of whoever has the session. */
async function enrol(user: User): Promise<Asked> {
  await ask('POST', '/auth/2fa/enable', {}, user.token)
  return ask('POST', '/auth/2fa/verify', { code: await codeOf(user) }, user.token)
}

const changePassword = ({ token }: User, oldPassword: string) =>
  ask('POST', '/auth/change-password', { oldPassword, newPassword: 'Newer4Horses' }, token)
const disable = ({ token }: User, code: unknown) => ask('POST', '/auth/2fa/disable', { code }, token)

it('contract 6.12 a session alone does not guess the password without a wait, with an authenticator of its own', async () => {
  const user = await aUser()

  expect((await enrol(user)).status).toBe(200)
  for (let time = 0; time < 9; time++) expect(outcome(await changePassword(user, 'Wrong4Horse'))).toEqual(refused)
  expect((await disable(user, await codeOf(user))).status).toBe(200)
  expect((await enrol(user)).status).toBe(200)

  expect(outcome(await changePassword(user, 'Wrong4Horse'))).toEqual(refused)
  expect(outcome(await changePassword(user, password))).toEqual(waits)
})

it('contract 6.12 a session and the password do not guess the second factor without a wait', async () => {
  const [user, other] = [await aUser(), await aUser()]
  expect((await enrol(user)).status).toBe(200)

  for (let time = 0; time < 9; time++) expect(outcome(await disable(user, 'no code'))).toEqual(refused)
  // The password is right, and nothing comes of it.
  const change = { currentPassword: password, password: 'Newer4Horses', email: other.email }
  expect((await ask('PATCH', '/auth-collections/user', change, user.token)).status).toBe(409)

  expect(outcome(await disable(user, 'no code'))).toEqual(refused)
  expect(outcome(await disable(user, await codeOf(user)))).toEqual(waits)
})

it('contract 6.12 a right password of a signed-in user clears no failures, and a login does', async () => {
  const user = await aUser()
  await fail(user, 9)

  expect((await changePassword(user, password)).status).toBe(200)
  expect(await fail(user, 1)).toEqual(refused)
  expect(await fail(user, 1)).toEqual(waits)
  await advance(1_000)
  expect((await logIn(user, 'Newer4Horses')).status).toBe(200)

  expect(await fail(user, 9)).toEqual(refused)
})

it('contract 6.12 no wait outlives a clock that was set back, by however little', async () => {
  for (const back of [5_000, 30_000, minutes(5), minutes(14), minutes(60)]) {
    const user = await aUser()
    await fail(user, 10)
    expect(await fail(user, 1)).toEqual(waits)

    await advance(-back)

    expect(await fail(user, 1)).toEqual(refused)
  }
})

it('contract 6.12 wrong passwords and codes of an account count together, and stay with it when its address changes', async () => {
  const user = await aUser()
  const oldPassword = 'Wrong4Horse'
  const change = () => ask('POST', '/auth/change-password', { oldPassword, newPassword: password }, user.token)
  await ask('POST', '/auth/2fa/enable', {}, user.token)

  await logIn(user, 'Wrong4Horse')
  await change()
  for (let time = 0; time < 3; time++) await ask('POST', '/auth/2fa/verify', { code: '000000x' }, user.token)
  await fail(user, 4)
  const moved = { ...user, email: `moved.${user.email}` }
  await ask('PATCH', '/auth-collections/user', { email: moved.email }, user.token)
  expect(await fail(moved, 1)).toEqual(refused)

  expect(outcome(await logIn(moved))).toEqual(waits)
  expect(outcome(await change())).toEqual(waits)
})

it('contract 6.12 failures with made-up addresses refuse nobody else’s right login', async () => {
  const user = await aUser()

  for (let n = 0; n < 112; n++) await sendCode(`nobody.${n}@example.com`)

  expect((await logIn(user)).status).toBe(200)
})

it('contract 6.12 codes that no login waits for hold up nobody, whether there is an account or not', async () => {
  const user = await aUser()

  for (let n = 0; n < 12; n++) {
    expect(outcome(await sendCode(user.email))).toEqual(refused)
    expect(outcome(await sendCode('nobody@example.com'))).toEqual(refused)
  }

  expect((await logIn(user)).status).toBe(200)
})

it('contract 6.12 wrong codes of logins that wait for one count', async () => {
  const user = await aUser()
  await settings({ require2fa: true })

  const codes: unknown[] = []
  for (let login = 0; login < 2; login++) {
    await logIn(user)
    for (let time = 0; time < 5; time++) codes.push(outcome(await sendCode(user.email)))
  }
  await settings({ require2fa: false })

  expect(codes).toEqual([refused, refused, refused, refused, waits, refused, refused, refused, refused, waits])
  expect(outcome(await logIn(user))).toEqual(waits)
})

it('contract 6.12 one account’s failures refuse it alone', async () => {
  const [ada, grace] = [await aUser(), await aUser()]

  await fail(grace, 10)

  expect(outcome(await logIn(grace))).toEqual(waits)
  expect((await logIn(ada)).status).toBe(200)
})

it('contract 6.12 failures at an address that nobody has hold up that address alone', async () => {
  const [nobody, other] = [{ email: 'nobody.at.all@example.com' }, { email: 'nobody.else@example.com' }]

  for (let time = 0; time < 10; time++) expect(outcome(await logIn(nobody, 'Wrong4Horse'))).toEqual(refused)

  expect(outcome(await logIn(nobody, 'Wrong4Horse'))).toEqual(waits)
  expect(outcome(await logIn(other, 'Wrong4Horse'))).toEqual(refused)
})

it('contract 6.12 with loginThrottle "address", failures of users who are signed in hold up none but themselves', async () => {
  await settings({ loginThrottle: 'address' })

  for (let n = 0; n < 10; n++) await fail(await aUser(), 10)

  expect(await fail(await aUser(), 1)).toEqual(refused)
  await settings({ loginThrottle: 'account' })
})

it('contract 6.12 with loginThrottle "address", a hundred failures hold up the address that the trusted proxy reports', async () => {
  const user = await aUser()
  await settings({ loginThrottle: 'address' })

  // Entries that the client itself sends precede the proxy's in the header, and are not trusted.
  for (let n = 0; n < 100; n++) await sendCode(`somebody.${n}@example.com`, '203.0.113.9, 198.51.100.2')

  expect(outcome(await logIn(user, password, '198.51.100.2'))).toEqual(waits)
  expect(outcome(await logIn(user, password, '203.0.113.10, 198.51.100.2'))).toEqual(waits)
  expect((await logIn(user, password, '203.0.113.9')).status).toBe(200)
  expect((await settings({ loginThrottle: 'nobody' })).status).toBe(422)
  await settings({ loginThrottle: 'account' })
})
