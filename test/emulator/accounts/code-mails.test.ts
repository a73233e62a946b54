/** How many codes an address is mailed, however often somebody logs in with the right password. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'
import { controlOf } from '../../fixtures/requests/emulator-control.js'

// The clock stands still unless a test moves it.
describe.each(engines)('Codes that are mailed, on %s', (engine) => {
  let emulator: Emulator
  let ask: Ask
  beforeAll(async () => {
    emulator = await startOn(engine, (config) =>
      startEmulator({ ...config, now: () => new Date('2030-01-01T00:00:00Z') }),
    )
    ask = askerOf(emulator)
  })
  afterEach(() => controlOf(emulator).clock.reset())
  afterAll(() => emulator.close())

  const password = 'Correct4Horse'
  const codeNeeded = [200, true]

  let count = 0
  const anEmail = () => `user-${++count}@example.com`

  const settings = (settings: object) =>
    controlOf(emulator).projects.update({ project: emulator.projectId, settings: { rateLimit: 'off', ...settings } })
  const advance = (advance: number) => controlOf(emulator).clock.change({ advance })
  const signUp = (email: string) => ask('POST', '/auth-collections/signup', { email, password })
  const mailsTo = async (to: string) => (await controlOf(emulator).mail.list({ to })).mails.length
  const newestCode = async (to: string) => (await controlOf(emulator).mail.wait({ to, timeout: 10 })).codes[0] ?? ''
  const finish = async (email: string, code: string) =>
    (await ask('POST', '/auth-collections/verify-2fa-login', { email, code })).status

  async function logIn(email: string): Promise<unknown[]> {
    const { status, body, headers } = await ask('POST', '/auth-collections/login', { email, password })
    return status === 429 ? [status, Number(headers.get('retry-after'))] : [status, body.requires_2fa]
  }

  async function giveWrongCodes(email: string): Promise<void> {
    for (let time = 0; time < 5; time++) await finish(email, 'no code')
  }

  it('contract 6.7 are one a minute, whose code goes on working', async () => {
    await settings({ require2fa: true })
    const email = anEmail()
    await signUp(email)
    const code = await newestCode(email)

    for (let time = 0; time < 3; time++) expect(await logIn(email)).toEqual(codeNeeded)
    await advance(59_000)
    expect(await logIn(email)).toEqual(codeNeeded)

    expect(await mailsTo(email)).toBe(1)
    expect(await finish(email, code)).toBe(200)
  })

  it('contract 6.7 are another one after a minute, after a login, after five wrong codes, and on a clock that was set back', async () => {
    await settings({ require2fa: true })
    const email = anEmail()
    await signUp(email)
    const first = await newestCode(email)

    await advance(60_000)
    expect(await logIn(email)).toEqual(codeNeeded)
    expect(await mailsTo(email)).toBe(2)
    const second = await newestCode(email)
    if (first !== second) expect(await finish(email, first)).toBe(401)
    expect(await finish(email, second)).toBe(200)
    expect(await logIn(email)).toEqual(codeNeeded)
    expect(await mailsTo(email)).toBe(3)
    await giveWrongCodes(email)
    expect(await logIn(email)).toEqual(codeNeeded)
    expect(await mailsTo(email)).toBe(4)
    await advance(-3_600_000)
    expect(await logIn(email)).toEqual(codeNeeded)

    expect(await mailsTo(email)).toBe(5)
    expect(await finish(email, await newestCode(email))).toBe(200)
  })

  it('contract 6.8 are one a minute to an address where the rate is limited, whoever has it', async () => {
    await settings({ require2fa: false })
    const [email, other] = [anEmail(), anEmail()]
    const [ada, grace] = [(await signUp(email)).body, (await signUp(other)).body]
    await settings({ require2fa: true, rateLimit: { minute: 1_000 } })
    const move = (user: typeof ada, email: string) =>
      ask('PATCH', '/auth-collections/user', { email }, String(user.token))

    expect(await logIn(email)).toEqual(codeNeeded)
    await giveWrongCodes(email)
    expect(await logIn(email)).toEqual([429, 60])
    await move(ada, anEmail())
    expect((await move(grace, email)).status).toBe(200)
    await advance(20_000)
    expect(await logIn(email)).toEqual([429, 40])
    expect(await mailsTo(email)).toBe(1)
    await advance(40_000)
    expect(await logIn(email)).toEqual(codeNeeded)
    expect(await mailsTo(email)).toBe(2)

    // The process that was asked answers.
    expect(await finish(email, await newestCode(email))).toBe(200)
    expect(await logIn(email)).toEqual(codeNeeded)
    expect(await mailsTo(email)).toBe(3)
    await settings({ require2fa: false })
  })
})
