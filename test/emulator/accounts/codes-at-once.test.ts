import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { startOn } from '../../fixtures/databases/engine-emulators.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Ask, askerOf } from '../../fixtures/requests/ask.js'

// Contract 6.12: a wait that one failure starts holds for those who ask at the same moment. The clock stands still unless it is moved.
describe.each(engines)('Codes that are sent at once, on %s', (engine) => {
  let emulator: Emulator
  let ask: Ask
  beforeAll(async () => {
    emulator = await startOn(engine, (config) =>
      startEmulator({ ...config, now: () => new Date('2030-01-01T00:00:00Z') }),
    )
    ask = askerOf(emulator)
  })
  afterAll(() => emulator.close())

  const password = 'Correct4Horse'
  const email = 'ada@example.com'
  const sendCode = (code: string) => ask('POST', '/auth-collections/verify-2fa-login', { email, code })

  it('meet what the first of them costs', async () => {
    const { token, id } = (await ask('POST', '/auth-collections/signup', { email, password })).body
    const code = async () => String((await ask('GET', `/_svc/api/users/${id}/code`)).body.code)
    await ask('POST', '/auth/2fa/enable', {}, String(token))
    expect((await ask('POST', '/auth/2fa/verify', { code: await code() }, String(token))).status).toBe(200)
    for (let time = 0; time < 10; time++) await ask('POST', '/auth/2fa/disable', { code: 'no code' }, String(token))
    await ask('PATCH', '/_svc/api/clock', { advance: 61_000 })
    expect((await ask('POST', '/auth-collections/login', { email, password })).body).toMatchObject({
      requires_2fa: true,
    })

    const answers = await Promise.all(Array.from({ length: 4 }, () => sendCode('no code')))

    expect(answers.map(({ status }) => status).sort()).toEqual([401, 429, 429, 429])
    expect((await sendCode(await code())).status).toBe(429)
    await ask('PATCH', '/_svc/api/clock', { advance: 61_000 })
    // A right code clears the failures.
    expect((await sendCode(await code())).status).toBe(200)
    expect((await ask('POST', '/auth-collections/login', { email, password: 'Wrong4Horse' })).status).toBe(401)
    expect((await ask('POST', '/auth-collections/login', { email, password })).status).toBe(200)
  })
})
