import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Parser } from '@oclif/core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { requireServable } from '../../emulator/serving/config.js'
import {
  databaseFlags,
  readDatabasePlace,
  readSecretPlace,
  readServeConfig,
  type ServeFlags,
  serveFlags,
} from './serve-flags.js'

const secret = 's'.repeat(43)
const whole = {
  SVC_DATABASE_URL: 'postgres://svc@127.0.0.1/svc',
  SVC_SECRET: secret,
}

async function config(words: readonly string[], env: Record<string, string | undefined> = {}) {
  const files = words.includes('--files-url') || process.env.SVC_FILES_URL ? [] : ['--files-url', 's3://bucket/files']
  const parsed = await Parser.parse([...words, ...files], { flags: serveFlags, strict: true })
  return readServeConfig(parsed.flags as ServeFlags, { ...whole, ...env })
}

/** For each flag, another value than it has by itself. */
const others = {
  'files-url': 's3://other/files',
  'public-url': 'https://api.example.com',
  port: '4500',
  host: '0.0.0.0',
  'admin-port': '4501',
  'allowed-host': 'former.example, other.example',
  'trusted-proxies': '2',
  'hang-timeout': '50s',
  'mail-from': 'us@example.com',
  'shutdown-delay': '6s',
  'shutdown-timeout': '21s',
  'request-log': 'false',
  'database-url': 'postgres://svc@127.0.0.1/other',
  'database-listen-url': 'postgres://svc@127.0.0.1/listen',
  smtp: 'smtp://127.0.0.1',
} satisfies Record<keyof typeof serveFlags, string>

it.each(Object.entries(others))('--%s is also a variable', async (flag, value) => {
  const words = value === 'false' ? [`--no-${flag}`] : [`--${flag}`, value]
  const variable = `SVC_${flag
    .replaceAll('-', '_')
    .toUpperCase()
    .replace(/^SMTP$/, 'SMTP_URL')}`
  const said = await config(words)

  vi.stubEnv(variable, value)
  const read = await config([], { [variable]: value })
  vi.unstubAllEnvs()

  expect({ ...read }).toEqual({ ...said })
  expect(read).not.toEqual(await config([]))
})

async function aFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-secret-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'secret'), text)
  return join(folder, 'secret')
}

it.each([
  ['SVC_SECRET', 'f'.repeat(43)],
  ['SVC_ADMIN_TOKEN', 'f'.repeat(43)],
  ['SVC_DATABASE_URL', 'postgres://svc@127.0.0.1/filed'],
  ['SVC_DATABASE_LISTEN_URL', 'postgres://svc@127.0.0.1/filed'],
  ['SVC_SMTP_URL', 'smtp://127.0.0.1'],
])('%s can be read from the file of %s_FILE, without its trailing line break', async (variable, value) => {
  const file = await aFile(`${value}\n`)

  const read = await config([], { [variable]: undefined, [`${variable}_FILE`]: file })

  const said = await config([], { [variable]: value })
  expect(read).toEqual(said)
  expect(read).not.toEqual(await config([]))
})

it.each([
  [
    { SVC_DATABASE_URL: undefined },
    { exit: 2, message: 'SVC_DATABASE_URL is not set.', hint: expect.stringContaining('postgres://') },
  ],
  [
    { SVC_DATABASE_URL: undefined, SVC_SECRET: undefined },
    {
      message: 'SVC_DATABASE_URL and SVC_SECRET are not set.',
      hint: expect.stringMatching(/^SVC_DATABASE_URL: .+; SVC_SECRET: .*svc serve keys/),
    },
  ],
  [
    { SVC_SECRET: undefined, SVC_SECRET_FILE: '/none' },
    { exit: 4, message: 'No file "/none".' },
  ],
  [{ SVC_SECRET_FILE: '/none' }, { exit: 2, hint: 'Unset one of them.' }],
  [{ SVC_SMTP_URL: 'http://mail' }, { exit: 2 }],
])('refuses %o', async (env, failure) => {
  await expect(config([], env)).rejects.toMatchObject(failure)
})

it('resync needs the database alone, and rotate the secret besides', () => {
  const { SVC_DATABASE_URL: databaseUrl } = whole
  const place = { databaseUrl, databaseListenUrl: undefined }

  expect(Object.keys(databaseFlags)).toEqual(['database-url', 'database-listen-url'])
  expect(readDatabasePlace({}, { SVC_DATABASE_URL: databaseUrl })).toEqual(place)
  expect(readDatabasePlace({ 'database-url': databaseUrl }, {})).toEqual(place)
  expect(readSecretPlace({ 'database-url': databaseUrl }, { SVC_SECRET: secret })).toEqual({ ...place, secret })
  expect(() => readDatabasePlace({}, {})).toThrow('SVC_DATABASE_URL is not set.')
  expect(() => readSecretPlace({}, {})).toThrow('SVC_DATABASE_URL and SVC_SECRET are not set.')
})

it.each([
  [['--shutdown-timeout', 'soon'], { exit: 2 }],
  [['--shutdown-delay', '2h'], { exit: 2 }],
])('refuses %o', async (words, failure) => {
  await expect(config(words)).rejects.toMatchObject(failure)
})

it.each(['https://shop.example', 'shop.example:8080', '*.shop.example', 'shop.example/a', 'fd00::1', 'a b'])(
  '%s is not a host name: no request would be allowed by it',
  async (name) => {
    const failure = { exit: 2, message: `"${name}" (--allowed-host) is not a host name.` }

    await expect(config(['--allowed-host', `api.example.com,${name}`])).rejects.toMatchObject(failure)
  },
)

it.each([
  [[], { SVC_SECRET: 'short' }, { code: 'SECRET_MISSING', hint: expect.stringContaining('svc serve keys') }],
  [['--admin-port', '1'], { SVC_ADMIN_TOKEN: 'short' }, { code: 'SECRET_MISSING' }],
  [[], { SVC_ADMIN_TOKEN: secret }, { code: 'ADMIN_PORT_MISSING' }],
  [['--port', '4401', '--admin-port', '4401'], {}, { code: 'PORT_IN_USE' }],
  [['--host', '0.0.0.0'], {}, { code: 'PUBLIC_URL_MISSING' }],
  [['--public-url', 'https://api.example.com/v1'], {}, { code: 'PUBLIC_URL_INVALID' }],
] as const)('does not start with %o and %o', async (words, env, failure) => {
  const read = await config(words, env)

  expect(() => requireServable(read)).toThrow(expect.objectContaining(failure))
})

it('takes a bucket or a folder for files, and no path', async () => {
  const read = await config(['--public-url', 'https://api.example.com', '--host', '0.0.0.0'])

  expect(() => requireServable(read)).not.toThrow()
  expect(() => requireServable({ ...read, filesUrl: 'file:///var/lib/svc' })).not.toThrow()
  expect(() => requireServable({ ...read, filesUrl: '/var/lib/svc' })).toThrow(
    expect.objectContaining({ code: 'FILES_UNREACHABLE' }),
  )
  expect(read.mailFrom).toBe('no-reply@api.example.com')
})

it('promises no mailbox, as there is none', () => {
  expect(serveFlags.smtp.description).not.toContain('keeping')
})
