import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerFaults } from '../../../client/protocol/model/provider-login.js'
import { openChromium } from '../../fixtures/chromium.js'
import { bin, cleanEnv, hungMilliseconds, openWorld, type World } from '../command-line.js'

// A login through the project's provider from the terminal: without a browser, with one, and in each way it fails.

let world: World

beforeAll(async () => {
  world = await openWorld()
  await world.dev('--memory')
})
afterAll(() => world.close())

async function me(token: string): Promise<unknown> {
  const { body } = (await world.json([
    'api',
    'GET',
    '/auth-collections/me',
    '-H',
    `authorization: Bearer ${token}`,
  ])) as {
    body: unknown
  }
  return body
}

test('svc idp login --as prints just the token, and the token is the account’s', async () => {
  const { stdout, stderr, exit } = await world.svc(['idp', 'login', '--as', 'GRACE@example.com'])

  expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 })
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  expect(await me(stdout.trim())).toMatchObject({ email: 'grace@example.com', oauth_id: 'grace' })
})

// The slow one takes until the time-out for providers.
const quick = Object.entries(providerFaults).filter(([fault]) => fault !== 'slow')

test.each(quick)('svc idp login --fail %s exits with 3 and says how the login ended', async (fault, { endsIn }) => {
  const { stdout, stderr, exit } = await world.svc(['idp', 'login', '--as', 'ada', '--fail', fault])

  expect({ stdout, exit }).toEqual({ stdout: '', exit: 3 })
  expect(stderr).toContain(`svc-error=${endsIn}`)
  expect(await world.json(['idp', 'fail'])).toEqual([])
})

test('svc idp login waits for the browser, and ends when the person has chosen', async () => {
  const chromium = await openChromium()
  try {
    const page = await chromium.newPage()
    const choose = async (name: string) => {
      const child = execa(process.execPath, [bin, 'idp', 'login', '--print', '--timeout', '400'], {
        cwd: world.folder,
        env: cleanEnv(world.folder),
        extendEnv: false,
        reject: false,
        timeout: hungMilliseconds,
      })
      const url = await new Promise<string>((resolve) => {
        child.stderr?.on('data', (piece) => {
          const [, address] = /^Open (\S+)/m.exec(String(piece)) ?? []
          if (address) resolve(address)
        })
      })
      await page.goto(url)
      await page.getByRole('button', { name }).click()
      await page.getByText('Go back to the terminal').waitFor()
      const { exitCode, stdout } = await child
      return { exitCode, stdout }
    }

    const [done, cancelled] = [await choose('Ada Lovelace'), await choose('Cancel the login')]

    expect(done.exitCode).toBe(0)
    expect(await me(done.stdout.trim())).toMatchObject({ oauth_id: 'ada' })
    expect(cancelled).toEqual({ exitCode: 3, stdout: '' })
  } finally {
    await chromium.close()
  }
})

test('accounts are listed, added, changed and removed', async () => {
  expect(await world.json(['idp', 'add', 'mary', '--name', 'Mary', '--no-verified', '--claim', 'locale=en'])).toEqual({
    id: 'mary',
    name: 'Mary',
    email: 'mary@example.com',
    emailVerified: false,
    claims: { locale: 'en' },
  })
  expect((await world.svc(['idp', 'login', '--as', 'mary'])).stderr).toContain('no_email_provided')
  expect((await world.svc(['idp', 'add', 'mary'])).exit).toBe(5)

  await world.json(['idp', 'update', 'mary', '--verified'])
  expect((await world.svc(['idp', 'login', '--as', 'mary'])).exit).toBe(0)
  expect((await world.svc(['idp', 'accounts'])).stdout).toMatch(/^mary +Mary +mary@example\.com +true$/m)

  expect((await world.svc(['idp', 'remove', 'mary'])).exit).toBe(2)
  expect((await world.svc(['idp', 'remove', 'mary', '--yes'])).exit).toBe(0)
  expect(await world.svc(['idp', 'login', '--as', 'marry'])).toMatchObject({ exit: 4, stdout: '' })
})

test('logins fail until that is switched off', async () => {
  const { stdout } = await world.svc(['idp', 'fail', 'no-profile', '--always'])
  const logIn = () => world.svc(['idp', 'login', '--as', 'ada'])
  const failed = [await logIn(), await logIn()]
  await world.svc(['idp', 'fail', '--off'])

  expect(stdout).toBe('Until switched off, the provider does not give the profile.\n')
  expect(failed.map(({ exit }) => exit)).toEqual([3, 3])
  expect((await logIn()).exit).toBe(0)
})

test('a case beside --off is misuse, and sets nothing', async () => {
  const { exit, stdout } = await world.svc(['idp', 'fail', 'no-email', '--off'])

  expect([exit, stdout]).toEqual([2, ''])
  expect(await world.json(['idp', 'fail'])).toEqual([])
})

test.each(['--always', '--times=3'])('%s without a case is misuse, and names the cases', async (flag) => {
  const { exit, stdout, stderr } = await world.svc(['idp', 'fail', flag])

  expect([exit, stdout]).toEqual([2, ''])
  expect(stderr).toContain('no-email')
})

test('a login with --fail that is not finished leaves its fault to no other', async () => {
  const late = await world.svc(['idp', 'login', '--print', '--fail', 'no-email', '--timeout', '1s'])
  const left = await world.json(['idp', 'fail'])
  const child = execa(process.execPath, [bin, 'idp', 'login', '--print', '--fail', 'no-email'], {
    ...{ cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, timeout: hungMilliseconds },
  })
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (piece) => String(piece).includes('Open ') && resolve())
  })
  const meanwhile = await world.json(['idp', 'fail'])
  child.kill('SIGINT')
  const stopped = await child

  expect(late).toMatchObject({ exit: 7, stderr: expect.stringContaining('No login within 1 s.') })
  expect(left).toEqual([])
  expect(meanwhile).toMatchObject([{ fault: 'no-email', times: 1 }])
  expect(stopped).toMatchObject({ exitCode: 130, stdout: '' })
  expect(await world.json(['idp', 'fail'])).toEqual([])
  expect((await world.svc(['idp', 'login', '--as', 'ada'])).exit).toBe(0)
})

test('where the project has another provider, nobody is logged in as an account of the built-in one', async () => {
  const { controlToken } = JSON.parse(readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'))
  const set = (idp: object) =>
    world.json([
      'api',
      'PATCH',
      '/_svc/api/projects/dev',
      `settings:=${JSON.stringify({ idp })}`,
      '-H',
      `svc-control-token: ${controlToken}`,
    ])
  await set({
    IDP_AUTHORIZATION_URL: 'https://provider.example/authorize',
    IDP_TOKEN_URL: 'https://provider.example/token',
    IDP_USERINFO_URL: 'https://provider.example/me',
    IDP_CLIENT_ID: 'app',
    IDP_CLIENT_SECRET: 'secret',
    IDP_REDIRECT_URL: 'https://svc.example/back',
    IDP_COMPLETE_URL: 'https://app.example/done',
  })

  const { exit, stderr } = await world.svc(['idp', 'login', '--as', 'ada'])
  await set({})

  expect(exit).toBe(2)
  expect(stderr).toContain('built-in provider')
})

test('without an emulator it says so and exits with 8', async () => {
  const elsewhere = await openWorld()
  const { exit } = await elsewhere.svc(['idp', 'login', '--as', 'ada'])
  await elsewhere.close()
  expect(exit).toBe(8)
})

test('an id that no account has is refused with what it may hold', async () => {
  const { exit, stderr } = await world.svc(['idp', 'add', 'zoë', '--email', 'zoe@example.com'])

  expect(exit).toBe(5)
  expect(stderr).toContain('is not a valid account id: use letters a to z, digits,')
})
