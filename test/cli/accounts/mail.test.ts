import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

// Scripts that use mail: they wait for a link or a code, use it, and move the clock where time has to pass.

let world: World
let other: World

beforeAll(async () => {
  ;[world, other] = await Promise.all([openWorld(), openWorld()])
  await world.dev('--memory')
})
afterAll(() => Promise.all([world.close(), other.close()]))

interface Mail {
  readonly id: string
  readonly to: string
  readonly text: string
  readonly html: string
  readonly raw: string
  readonly links: readonly string[]
}

const password = 'Correct4Horse'

/** Sends a request; its body. */
async function api(...words: string[]): Promise<Record<string, unknown>> {
  const { body } = (await world.json(['api', ...words])) as { body: Record<string, unknown> }
  return body
}

async function signUp(email: string): Promise<string> {
  const { token } = await api('POST', '/auth-collections/signup', `email=${email}`, `password=${password}`)
  return `authorization: Bearer ${token}`
}

const requestVerification = (header: string) => api('POST', '/auth/request-verification', '-H', header)

test('svc mail wait --link prints just the link, and the link works', async () => {
  const header = await signUp('ada@example.com')
  await requestVerification(header)

  const { stdout, stderr } = await world.svc(['mail', 'wait', '--to', 'ADA@example.com', '--link'])
  const [, token = ''] = /^http:\/\/\S+\/auth\/pages\/verify-email\?token=([\w-]{43})\n$/.exec(stdout) ?? []
  await api('POST', '/auth/verify-email', `token=${token}`)

  expect(stderr).toBe('')
  expect(await api('GET', '/auth-collections/me', '-H', header)).toMatchObject({ email_verified: true })
})

test('a mail that comes later is waited for, and one that has no code is passed over', async () => {
  const header = await signUp('bob@example.com')
  await requestVerification(header)
  const first = (await world.json(['mail', 'wait', '--to', 'bob@example.com'])) as Mail

  const waiting = world.json(['mail', 'wait', '--to', 'bob@example.com', '--after', first.id, '--timeout', '2m'])
  await api('POST', '/auth/request-password-reset', 'email=bob@example.com')
  const code = await world.svc(['mail', 'wait', '--to', 'bob@example.com', '--code', '--timeout', '0'])

  expect(((await waiting) as Mail).links[0]).toContain('/auth/pages/reset-password?token=')
  expect(code).toMatchObject({ exit: 7, stdout: '', stderr: expect.stringContaining('within 0 s') })
})

test('svc mail wait --link and --code find the newest mail that has one behind those that have none', async () => {
  const header = await signUp('hugo@example.com')
  await api('POST', '/auth/request-password-reset', 'email=hugo@example.com')
  await world.json(['project', 'set', 'require2fa:=true'])
  await api('POST', '/auth-collections/login', 'email=hugo@example.com', `password=${password}`)
  await world.json(['project', 'set', 'require2fa:=false'])
  const wait = (...flags: string[]) =>
    world.svc(['mail', 'wait', '--to', 'hugo@example.com', '--timeout', '0', ...flags])

  const link = await wait('--link')
  const code = await wait('--code')
  await requestVerification(header)

  expect(link).toMatchObject({ exit: 0, stdout: expect.stringContaining('/auth/pages/reset-password?token=') })
  expect(code).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^\d{6}\n$/) })
  expect(await wait('--code')).toEqual(code)
  expect(await wait()).toMatchObject({ exit: 0, stdout: expect.stringContaining('/auth/pages/verify-email?token=') })
})

test('svc mail list has the newest first, and svc mail show shows one in each of its forms', async () => {
  await requestVerification(await signUp('cleo@example.com'))
  await api('POST', '/auth/request-password-reset', 'email=cleo@example.com')
  const reset = (await world.json(['mail', 'wait', '--to', 'cleo@example.com'])) as Mail
  const show = async (...flags: string[]) => (await world.svc(['mail', 'show', ...flags])).stdout

  const list = (await world.json(['mail', 'list', '--to', 'cleo@example.com'])) as Mail[]

  expect(list.map(({ id }) => id)).toEqual([reset.id, expect.any(String)])
  expect(list[0]).not.toHaveProperty('text')
  expect(await show('--to', 'cleo@example.com')).toContain(reset.text.trim())
  expect(await show(reset.id, '--html')).toBe(`${reset.html}\n`)
  expect(await show(reset.id, '--raw')).toBe(`${reset.raw}\n`)
  expect(await show(reset.id, '--link')).toBe(`${reset.links[0]}\n`)
  expect(await world.svc(['mail', 'show', reset.id, '--code'])).toMatchObject({ exit: 4, stdout: '' })
})

test('svc mail show reads no id from a pipe that is there for others', async () => {
  await requestVerification(await signUp('gerd@example.com'))

  const { exit, stdout } = await world.svc(['mail', 'show', '--to', 'gerd@example.com'], { input: 'the next line\n' })

  expect(exit).toBe(0)
  expect(stdout).toContain('gerd@example.com')
})

test('svc mail clear asks first, and deletes what was meant', async () => {
  await requestVerification(await signUp('dora@example.com'))
  await requestVerification(await signUp('emil@example.com'))

  const asked = await world.svc(['mail', 'clear'])
  const cleared = await world.json(['mail', 'clear', '--to', 'dora@example.com', '--yes'])

  expect(asked).toMatchObject({ exit: 2, stderr: expect.stringContaining('--yes') })
  expect(cleared).toEqual({ deleted: 1 })
  expect(await world.json(['mail', 'list', '--to', 'dora@example.com'])).toEqual([])
  expect(await world.json(['mail', 'list', '--to', 'emil@example.com'])).toHaveLength(1)
})

test('svc clock moves the time of the service, and the minute between letters with it', async () => {
  const header = await signUp('finn@example.com')
  await requestVerification(header)
  const again = () => world.svc(['api', 'POST', '/auth/resend-verification', '-H', header])

  const tooSoon = await again()
  const advanced = await world.json(['clock', 'advance', '61s'])
  const later = await again()

  expect([tooSoon.exit, later.exit]).toEqual([6, 0])
  expect(advanced).toMatchObject({ offset: 61_000 })
  expect(await world.json(['clock', 'set', '2040-01-31'])).toMatchObject({ now: expect.stringMatching(/^2040-01-31T/) })
  expect((await world.svc(['clock', 'advance', '--', '-1d'])).stdout).toMatch(/^now +2040-01-30T/)
  expect((await world.svc(['clock', 'show'])).stdout).toMatch(/^now +2040-01-30T\S+\nahead +\d+d/)
  expect(await world.json(['clock', 'reset'])).toMatchObject({ offset: 0 })
})

test.each([
  [['mail', 'show', 'nope'], 4, /No mail "nope"/],
  [['clock', 'advance', 'soon'], 2, /Invalid duration "soon"(.|\n)*1h30m/],
  [['clock', 'set', '2030-02-31'], 2, /Invalid date or time "2030-02-31"/],
  [['clock', 'set', 'tomorrow'], 2, /Invalid date or time "tomorrow"(.|\n)*2030-01-31/],
  [['mail', 'wait', '--link', '--code'], 2, /--link|--code/],
])('svc %j says what is wrong', async (words, exit, said) => {
  const { stderr, ...rest } = await world.svc(words)

  expect(rest).toEqual({ exit, stdout: '' })
  expect(stderr).toMatch(said)
})

test('an address of no mail server is refused without a word of the password in it', async () => {
  for (const given of [['--smtp', 'http://ada:Secret4Horse@mail.example'], []]) {
    const env = { SVC_SMTP_URL: 'ada:Secret4Horse@mail.example' }
    const { exit, stdout, stderr } = await other.svc(['dev', '--memory', '--port', '0', ...given], {
      env,
      isRefused: true,
    })

    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/not the address of a mail server\.\n.*smtp:\/\//)
    expect(stderr).not.toContain('Secret4Horse')
  }
})

test('mail and clock are those of an emulator: without one they exit with 8, whatever else is named', async () => {
  for (const words of [
    ['mail', 'list'],
    ['mail', 'wait'],
    ['clock', 'show'],
  ]) {
    const { exit, stderr } = await other.svc(words, { env: { SVC_URL: 'https://api.example' } })

    expect(exit).toBe(8)
    expect(stderr).toMatch(/No emulator runs in this folder\.\n.*svc dev/)
  }
})
