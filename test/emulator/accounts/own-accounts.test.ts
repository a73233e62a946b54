import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { controlOf, follow } from '../../fixtures/events.js'
import { type Ask, type Asked, askerOf } from '../../fixtures/requests/ask.js'

// Tests changes that users make to their own accounts: events, refusals, and logins that are too old. The clock stands still
// unless a test moves it.

let emulator: Emulator
let ask: Ask
beforeAll(async () => {
  emulator = await startEmulator({ memory: true, now: () => new Date('2030-01-01T00:00:00Z') })
  ask = askerOf(emulator)
})
afterEach(() => controlOf(emulator).clock.reset())
afterAll(() => emulator.close())

const password = 'Correct4Horse'
const newPassword = 'Newer4Horses'

async function aUser() {
  const email = `${randomUUID()}@example.com`
  const { body } = await ask('POST', '/auth-collections/signup', { email, password })
  return { id: String(body.id), email, token: String(body.token) }
}

const advance = (advance: number) => controlOf(emulator).clock.change({ advance })

type User = Awaited<ReturnType<typeof aUser>>

const codeOf = async ({ id }: User) => (await ask('GET', `/_svc/api/users/${id}/code`)).body.code
const changePassword = ({ token }: User, oldPassword: string) =>
  ask('POST', '/auth/change-password', { oldPassword, newPassword }, token)

/** The token of the newest mail to a user. */
async function mailedToken({ email }: User): Promise<string> {
  const { links } = await controlOf(emulator).mail.wait({ to: email, timeout: 10 })
  return new URL(links[0] ?? '').searchParams.get('token') ?? ''
}

async function reasonOf({ headers }: Asked): Promise<unknown> {
  return (await controlOf(emulator).requests.get({ id: headers.get('x-request-id') ?? '' })).reason
}

it('contract 11 what users change about themselves is an event each, with what has changed', async () => {
  const user = await aUser()
  await ask('POST', '/auth/request-verification', {}, user.token)
  const verification = await mailedToken(user)
  const stream = await follow(emulator, { project: emulator.projectId, kinds: 'user,mail' })

  await ask('POST', '/auth/verify-email', { token: verification })
  await changePassword(user, password)
  await ask('POST', '/auth/2fa/enable', {}, user.token)
  for (const code of ['000000', 'no code', await codeOf(user)])
    await ask('POST', '/auth/2fa/verify', { code }, user.token)
  await ask('POST', '/auth/request-password-reset', { email: `nobody.${user.email}` })
  await ask('POST', '/auth/request-password-reset', { email: user.email.toUpperCase() })
  await ask('POST', '/auth/reset-password', { token: await mailedToken(user), newPassword: password })
  const found = await stream.next(5)
  await stream.close()

  const changed = (what: string) => ({ kind: 'user.changed', user: { id: user.id, what: [what] } })
  expect(found).toMatchObject([
    changed('emailVerified'),
    changed('password'),
    changed('twoFactor'),
    { kind: 'mail.sent', mail: { to: user.email } },
    changed('password'),
  ])
})

it('contract 11 a wrong password and a wrong code are told apart for developers', async () => {
  const user = await aUser()
  await ask('POST', '/auth/2fa/enable', {}, user.token)

  const byPassword = await changePassword(user, 'Wrong4Horse')
  const byCode = await ask('POST', '/auth/2fa/verify', { code: '000000' }, user.token)
  const byToken = await ask('POST', '/auth/verify-email', { token: 'x'.repeat(43) })

  expect([byPassword, byCode, byToken].map(({ status }) => status)).toEqual([401, 401, 401])
  expect(await reasonOf(byPassword)).toEqual({ kind: 'credentials', problem: 'wrong password' })
  expect(await reasonOf(byCode)).toEqual({ kind: 'credentials', problem: 'wrong code' })
  expect(await reasonOf(byToken)).toEqual({ kind: 'credentials', problem: 'unknown mail token' })
})

it('contract 6.3 a login of the last ten minutes stands for the current password, and an earlier one does not', async () => {
  const [early, late] = [await aUser(), await aUser()]
  const patch = ({ token }: User) => ask('PATCH', '/auth-collections/user', { password: newPassword }, token)

  await advance(9 * 60_000)
  const inTime = await patch(early)
  await advance(60_000)
  const tooLate = await patch(late)

  expect(inTime.status).toBe(200)
  expect(tooLate).toMatchObject({ status: 401, body: { error: { code: 'INVALID_CREDENTIALS' } } })
})

it('contract 6.8 a mail that is asked for too soon names the seconds that are left', async () => {
  const user = await aUser()
  const request = () => ask('POST', '/auth/request-verification', {}, user.token)
  await request()

  await advance(20_001)
  const tooSoon = await request()

  expect([tooSoon.status, tooSoon.headers.get('retry-after')]).toEqual([429, '40'])
})

it('contract 6.8 where the rate is limited, an address gets its next reset mail after a minute, to the moment', async () => {
  const { email } = await aUser()
  const limit = (rateLimit: unknown) =>
    ask('PATCH', `/_svc/api/projects/${emulator.projectId}`, { settings: { rateLimit } })
  async function sentAfter(milliseconds: number): Promise<number> {
    await advance(milliseconds)
    await ask('POST', '/auth/request-password-reset', { email })
    const { mails } = (await ask('GET', `/_svc/api/mail?${new URLSearchParams({ to: email })}`)).body
    return (mails as { refused: string | null }[]).filter(({ refused }) => refused === null).length
  }
  await limit({ minute: 1_000 })

  const sent = [await sentAfter(0), await sentAfter(0), await sentAfter(59_999), await sentAfter(1)]
  await limit('off')

  expect(sent).toEqual([1, 1, 1, 2])
})

it('contract 6.7 a login waits for its code until five minutes have passed, and not at that moment', async () => {
  const user = await aUser()
  await ask('POST', '/auth/2fa/enable', {}, user.token)
  await ask('POST', '/auth/2fa/verify', { code: await codeOf(user) }, user.token)
  const finish = async (after: number) => {
    await ask('POST', '/auth-collections/login', { email: user.email, password })
    await advance(after)
    return ask('POST', '/auth-collections/verify-2fa-login', { email: user.email, code: await codeOf(user) })
  }

  const tooLate = await finish(5 * 60_000)
  const inTime = await finish(5 * 60_000 - 1)

  expect([tooLate.status, inTime.status]).toEqual([401, 200])
})
