import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/assembly/dev.js'
import { type Ask, type Asked, askerOf } from '../fixtures/requests/ask.js'

// Tests the clock of the control API. All tests share it, so these have their own emulator.

let emulator: Emulator
let ask: Ask
beforeAll(async () => {
  emulator = await startEmulator({ memory: true })
  ask = askerOf(emulator)
})
afterEach(() => ask('DELETE', '/_svc/api/clock'))
afterAll(() => emulator.close())

const password = 'Correct4Horse'
const minutes = (count: number) => count * 60_000
const hours = (count: number) => count * 3_600_000
const days = (count: number) => count * 86_400_000

const settings = (settings: object) => ask('PATCH', `/_svc/api/projects/${emulator.projectId}`, { settings })

let count = 0
type User = Readonly<Record<'id' | 'email' | 'token', string>>

async function aUser(): Promise<User> {
  const signedUp = await ask('POST', '/auth-collections/signup', { email: `ada.${++count}@example.com`, password })
  const { id, email, token } = signedUp.body
  return { id: String(id), email: String(email), token: String(token) }
}

const logIn = ({ email }: User, given = password) => ask('POST', '/auth-collections/login', { email, password: given })
const codeOf = async ({ id }: User) => (await ask('GET', `/_svc/api/users/${id}/code`)).body.code
const sendCode = ({ email }: User, code: unknown) => ask('POST', '/auth-collections/verify-2fa-login', { email, code })
const logInByCode = (user: User, code: unknown) => logIn(user).then(() => sendCode(user, code))

/** The token of the newest mail to a user. */
async function mailedToken({ email }: User): Promise<string> {
  const { body } = await ask('GET', `/_svc/api/mail/wait?${new URLSearchParams({ to: email })}`)
  const [link = ''] = body.links as string[]
  return new URL(link).searchParams.get('token') ?? ''
}

function codeOfError({ status, body }: Asked): unknown {
  return [status, (body.error as { code?: string } | undefined)?.code]
}

it('contract 11 the clock is read, set, advanced and set back', async () => {
  const outside = Date.now()

  const set = await ask('PATCH', '/_svc/api/clock', { now: '2040-02-29T12:00:00+01:00' })
  const advanced = await ask('PATCH', '/_svc/api/clock', { advance: hours(36) })
  const read = await ask('GET', '/_svc/api/clock')
  const reset = await ask('DELETE', '/_svc/api/clock')

  expect(set.body.now).toMatch(/^2040-02-29T11:00:0/)
  expect(advanced.body.now).toMatch(/^2040-03-01T23:00:/)
  expect(read.body.offset).toBe(advanced.body.offset)
  expect(reset.body.offset).toBe(0)
  expect(Date.parse(String(reset.body.now))).toBeGreaterThanOrEqual(outside)
})

it.each([
  { now: 'tomorrow' },
  { now: '2040-02-30T12:00:00Z' },
  { advance: 'an hour' },
  { advance: 1e300 },
  { now: '2040-01-01T00:00:00Z', advance: 1 },
  {},
])('contract 11 a clock cannot be set to %j', async (change) => {
  expect(codeOfError(await ask('PATCH', '/_svc/api/clock', change))).toEqual([422, 'VALIDATION_ERROR'])
})

const clocks = {
  "the emulator's clock": { clock: () => '/_svc/api/clock', serviceIsAhead: 0 },
  // Code that reads the wrong clock is ten years off.
  'a clock of its own': {
    clock: () => `/_svc/api/projects/${emulator.projectId}/clock`,
    serviceIsAhead: days(3_653),
  },
}

describe.each(Object.entries(clocks))('A project by %s', (_name, { clock, serviceIsAhead }) => {
  const advance = (milliseconds: number) => ask('PATCH', clock(), { advance: milliseconds })

  beforeEach(async () => {
    await advance(0)
    await ask('PATCH', '/_svc/api/clock', { advance: serviceIsAhead })
  })
  afterEach(() => ask('DELETE', clock()))

  it('contract 6.4 a user token expires, and a refreshed one does later', async () => {
    const { token } = await aUser()
    const me = (token: string) => ask('GET', '/auth-collections/me', undefined, token)

    await advance(days(6))
    const refreshed = await ask('POST', '/auth-collections/refresh', {}, token)
    await advance(days(1) + minutes(1))
    const old = await me(token)
    const fresh = await me(String(refreshed.body.token))

    expect(codeOfError(old)).toEqual([401, 'INVALID_TOKEN'])
    expect(fresh.status).toBe(200)
  })

  it('contract 6.8 a reset link works for an hour', async () => {
    const user = await aUser()
    const reset = async () =>
      ask('POST', '/auth/reset-password', { token: await mailedToken(user), newPassword: password })
    await ask('POST', '/auth/request-password-reset', { email: user.email })
    await mailedToken(user)

    await advance(minutes(61))
    const tooLate = await reset()
    await ask('DELETE', '/_svc/api/mail')
    await ask('POST', '/auth/request-password-reset', { email: user.email })
    await mailedToken(user)
    await advance(minutes(59))
    const inTime = await reset()

    expect(codeOfError(tooLate)).toEqual([401, 'INVALID_TOKEN'])
    expect(inTime.status).toBe(200)
  })

  it('contract 6.8 a verification link works for a day', async () => {
    const [early, late] = [await aUser(), await aUser()]
    for (const { token } of [early, late]) await ask('POST', '/auth/request-verification', {}, token)
    const verify = async (user: User) => ask('POST', '/auth/verify-email', { token: await mailedToken(user) })

    await advance(hours(23.9))
    const inTime = await verify(early)
    await advance(hours(0.2))
    const tooLate = await verify(late)

    expect(inTime.status).toBe(200)
    expect(codeOfError(tooLate)).toEqual([401, 'INVALID_TOKEN'])
  })

  it('contract 6.8 a mail can be asked for again after a minute, and after the clock was set back', async () => {
    const { token } = await aUser()
    const request = (name: string) => ask('POST', `/auth/${name}-verification`, {}, token)
    await request('request')

    await advance(40_000)
    const tooSoon = await request('resend')
    await advance(Number(tooSoon.headers.get('retry-after')) * 1_000)
    const later = await request('resend')
    await advance(-days(1))
    const before = await request('request')

    expect(codeOfError(tooSoon)).toEqual([429, 'RATE_LIMITED'])
    expect(Number(tooSoon.headers.get('retry-after'))).toBeLessThanOrEqual(20)
    expect([later.status, before.status]).toEqual([200, 200])
  })

  it('contract 6.7 codes change with the clock, and a login waits five minutes for its code', async () => {
    const user = await aUser()
    await ask('POST', '/auth/2fa/enable', {}, user.token)
    await ask('POST', '/auth/2fa/verify', { code: await codeOf(user) }, user.token)
    await advance(minutes(10))
    const code = await codeOf(user)

    await logIn(user)
    await advance(minutes(4))
    const old = await sendCode(user, code)
    const inTime = await sendCode(user, await codeOf(user))
    await logIn(user)
    await advance(minutes(6))
    const tooLate = await sendCode(user, await codeOf(user))

    expect(codeOfError(old)).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(inTime.status).toBe(200)
    expect(codeOfError(tooLate)).toEqual([401, 'INVALID_CREDENTIALS'])
  })

  it('contract 6.7 codes work after the clock was set back, each once', async () => {
    const user = await aUser()
    await ask('POST', '/auth/2fa/enable', {}, user.token)
    await ask('POST', '/auth/2fa/verify', { code: await codeOf(user) }, user.token)
    await advance(hours(1))
    await logInByCode(user, await codeOf(user))

    await advance(-hours(1))
    const code = await codeOf(user)
    const first = await logInByCode(user, code)
    const second = await logInByCode(user, code)

    expect(first.status).toBe(200)
    expect(codeOfError(second)).toEqual([401, 'INVALID_CREDENTIALS'])
  })

  it('contract 6.7 a code that was used stays used where the clock goes back by a minute', async () => {
    const user = await aUser()
    await ask('POST', '/auth/2fa/enable', {}, user.token)
    const code = await codeOf(user)
    await ask('POST', '/auth/2fa/verify', { code }, user.token)
    await advance(minutes(1))
    const used = await logInByCode(user, await codeOf(user))

    await advance(-minutes(1))
    const again = await logInByCode(user, code)

    expect(used.status).toBe(200)
    expect(codeOfError(again)).toEqual([401, 'INVALID_CREDENTIALS'])
  })

  it('contract 6.7 a code that was mailed works for five minutes', async () => {
    await settings({ require2fa: true })
    const user = { email: `mailed.${++count}@example.com`, id: '', token: '' }
    await ask('POST', '/auth-collections/signup', { email: user.email, password })
    const codeMailed = async () => {
      const { body } = await ask('GET', `/_svc/api/mail/wait?${new URLSearchParams({ to: user.email })}`)
      return (body.codes as string[])[0]
    }

    await advance(minutes(6))
    const tooLate = await sendCode(user, await codeMailed())
    await ask('DELETE', '/_svc/api/mail')
    await logIn(user)
    await advance(minutes(4))
    const inTime = await sendCode(user, await codeMailed())
    await settings({ require2fa: false })

    expect(codeOfError(tooLate)).toEqual([401, 'INVALID_CREDENTIALS'])
    expect(inTime.status).toBe(200)
  })

  it('contract 9.5 a ticket opens a stream for a minute', async () => {
    await ask('POST', '/collections', { name: 'watched' })
    const [early, late] = [await ask('POST', '/realtime/tickets', {}), await ask('POST', '/realtime/tickets', {})]
    const open = async ({ body }: Asked) => {
      const answer = await fetch(`${emulator.url}/realtime/sse/watched?ticket=${body.ticket}`)
      await answer.body?.cancel()
      return answer.status
    }

    await advance(59_000)
    const inTime = await open(early)
    await advance(1_000)
    const tooLate = await open(late)

    expect([inTime, tooLate]).toEqual([200, 401])
  })

  it('contract 10.1 rate windows begin anew by the clock', async () => {
    await settings({ rateLimit: { minute: 3 } })
    const list = () => ask('GET', '/collections')
    // The windows begin with whole minutes.
    await ask('PATCH', clock(), { now: '2040-01-01T00:00:00Z' })

    const first = [await list(), await list(), await list(), await list()]
    await advance(minutes(1))
    const next = await list()
    await settings({ rateLimit: 'off' })

    expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(next.status).toBe(200)
  })

  it('contract 6.8 where the rate is limited, an address gets one reset mail a minute and ten a day; the mailbox shows the others as refused', async () => {
    const user = await aUser()
    const request = () => ask('POST', '/auth/request-password-reset', { email: user.email.toUpperCase() })
    const mails = async () =>
      (await ask('GET', `/_svc/api/mail?${new URLSearchParams({ to: user.email })}`)).body.mails as {
        refused: string | null
      }[]
    const sent = async () => (await mails()).filter(({ refused }) => refused === null).length

    // As many as are requested, where nothing is limited.
    const words = (await request()).body
    await request()
    expect([(await mails()).length, await sent()]).toEqual([2, 2])
    await ask('DELETE', '/_svc/api/mail')
    await settings({ rateLimit: { minute: 1_000 } })
    expect((await request()).body).toEqual(words)
    const token = await mailedToken(user)
    expect((await request()).body).toEqual(words)
    expect((await mails())[0]?.refused).toContain('one a minute')
    // A refused mail is not a newer one: the last one that was sent still works.
    expect(await mailedToken(user)).toBe(token)
    expect((await ask('POST', '/auth/reset-password', { token, newPassword: password })).status).toBe(200)
    for (let time = 0; time < 12; time++) {
      await advance(minutes(1))
      await request()
    }
    expect(await sent()).toBe(10)
    expect((await mails())[0]?.refused).toContain('ten a day')
    await advance(days(1))
    await request()
    expect(await sent()).toBe(11)
    await advance(-days(2))
    await request()
    expect(await sent()).toBe(12)
    // No user has this address, and no answer says so.
    expect((await ask('POST', '/auth/request-password-reset', { email: 'nobody@example.com' })).body).toEqual(words)
    await settings({ rateLimit: 'off' })
  })
})
