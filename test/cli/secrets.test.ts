import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './command-line.js'

const password = 'Correct4Horse-and-battery'
const clientSecret = 'client-secret-of-the-provider'
const node = [process.execPath, '-e', '0']

let world: World
let env: Record<string, string>
/** By name, so that a failure says which one was printed. */
let secrets: Record<string, string>

beforeAll(async () => {
  world = await openWorld()
  await world.dev()
  const { controlToken } = JSON.parse(readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8'))
  const secretKey = (await world.svc(['project', 'key', '--secret', '--quiet'])).stdout.trim()
  await world.svc(['users', 'signup', 'ada@example.com', '--password', password])
  const token = (await world.svc(['users', 'login', 'ada@example.com', '--password', password])).stdout.trim()
  const enabled = (await world.json(['users', '2fa', 'enable', 'ada@example.com'])) as { secret: string }
  await world.svc(['users', 'password', 'request-reset', 'ada@example.com'])
  const link = (await world.svc(['mail', 'wait', '--to', 'ada@example.com', '--link'])).stdout
  const mailed = /token=([\w.-]+)/.exec(link)?.[1] ?? ''
  env = { SVC_API_KEY: secretKey }
  secrets = { controlToken, secretKey, password, token, twoFactor: enabled.secret, mailed, clientSecret }
  for (const [name, value] of Object.entries(secrets)) expect(value, name).toMatch(/\S{16}/)
})
afterAll(() => world.close())

const printedIn = (text: string) => Object.keys(secrets).filter((name) => text.includes(secrets[name] ?? ''))

test.each([
  [['project', 'set', `idp.IDP_CLIENT_SECRET=${clientSecret}`]],
  [['project', 'show']],
  [['project', 'list']],
  [['keys', 'list']],
  [['status']],
  [['status', '--env']],
  [['config']],
  [['whoami']],
  [['profiles', 'add', 'here', '--url', 'http://127.0.0.1:9', '--replace']],
  [['profiles', 'list']],
  [['open']],
  [['init', '--yes']],
  [['doctor']],
  [['audit', 'list']],
  [['connections', 'list']],
  [['users', 'list']],
  [['users', 'get', 'ada@example.com']],
  [['idp', 'accounts']],
  [['idp', 'flows']],
  [['mail', 'list']],
  [['requests', 'list', '--limit', '100']],
  [['requests', 'export']],
  [['logs', '--last', '1000']],
  [['exec', '--', ...node]],
  [['dev', '--memory', '--port', '0', '--', ...node]],
])('svc %j prints no secret into a pipe', async (words) => {
  const { exit, stdout, stderr } = await world.svc(words, { env })

  expect({ exit, printed: printedIn(stdout + stderr) }).toEqual({ exit: expect.toBeOneOf([0, 10]), printed: [] })
})

test('svc dev tells a pipe where the control token is, and how to get a secret key; a terminal gets both', async () => {
  const dev = (folder: string) => ['dev', '--port', '0', '--data', folder, '--', ...node]

  const piped = await world.svc(dev('piped'))
  const shown = await world.terminal(dev('shown'), [])

  expect(piped.stdout).toMatch(/Dashboard +\S+\/_svc\/ +control token: in piped\/emulator\.json/)
  expect(piped.stdout).toMatch(/Secret +not shown here; create one: svc project key --secret/)
  expect(piped.stdout).not.toMatch(/svc_secret_|#token=/)
  expect(shown.stdout).toMatch(/Dashboard +\S+#token=[\w-]{16}/)
  expect(shown.stdout).toMatch(/Secret +svc_secret_[\w-]+ +shown once/)
})

test('an address with a password in it is shown without', async () => {
  const url = `https://ada:${password}@svc.example`
  writeFileSync(join(world.folder, 'svc.json'), JSON.stringify({ url }))

  const config = await world.svc(['config'], { env: { SVC_URL: url } })
  const json = await world.svc(['config', '--json'], { env: { SVC_URL: url } })

  expect(config.stdout).toMatch(/SVC_URL +https:\/\/…@svc\.example/)
  expect(printedIn(config.stdout + json.stdout)).toEqual([])
})
