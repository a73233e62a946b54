/** Settings that cannot be, as an operator meets them on the first day: each is refused by a code, and says what to change. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSmtp } from '../fixtures/mail/smtp.js'
import { openServeWorld, type ServeWorld } from '../fixtures/serve.js'
import { type LocalServer, serve } from '../fixtures/servers.js'

let world: ServeWorld
/** Answers as Amazon's S3 for a bucket of another region. */
let elsewhere: LocalServer
beforeAll(async () => {
  ;[world, elsewhere] = await Promise.all([
    openServeWorld(),
    serve((_, res) => void res.writeHead(301, { 'x-amz-bucket-region': 'eu-central-1' }).end()),
  ])
})
afterAll(() => Promise.all([world.close(), elsewhere.close()]))

type Env = Readonly<Record<string, string | undefined>>

interface Refusal {
  readonly code: string
  readonly message: string
  readonly hint: string
}

function onFreePorts(words: readonly string[]): string[] {
  return ['--port', '--admin-port'].flatMap((flag) => (words.includes(flag) ? [] : [flag, '0']))
}

/** The refusal of a start. */
async function refusal(env: Env, ...words: string[]): Promise<Refusal> {
  const { exit, stdout } = await world.run([...onFreePorts(words), '--json', ...words], env)
  expect(exit).not.toBe(0)
  return JSON.parse(stdout).error
}

interface Finding extends Omit<Refusal, 'hint'> {
  readonly level: string
  readonly remedy: string
}

/** Findings of `svc serve check`, without those that only the tests' server has. */
async function findings(env: Env): Promise<Finding[]> {
  const { stdout } = await world.run(['check', ...onFreePorts([]), '--json'], env)
  const checks: { findings: Finding[] }[] = JSON.parse(stdout).checks
  return checks.flatMap(({ findings }) => findings).filter(({ code }) => !['NOT_DURABLE', 'NO_MAIL'].includes(code))
}

async function query(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** The first finding of the check, or its refusal. */
async function wrongByCheck(env: Env, ...words: string[]): Promise<Refusal | undefined> {
  const { stdout } = await world.run(['check', ...onFreePorts(words), '--json', ...words], env)
  const { error, checks = [] }: { error?: Refusal; checks?: { findings: Finding[] }[] } = JSON.parse(stdout)
  const wrong = checks
    .flatMap(({ findings }) => findings)
    .find(({ code, level }) => level === 'wrong' && code !== 'NOT_DURABLE')
  if (error) return { code: error.code, message: error.message, hint: error.hint }
  return wrong && { code: wrong.code, message: wrong.message, hint: wrong.remedy }
}

const taken = () => new URL(elsewhere.url).port
const fileIn = (name: string) => {
  writeFileSync(join(world.folder, name), 'x')
  return join(world.folder, name)
}

describe('what a start refuses, the check refuses in the same words', () => {
  it.each<[string, string, () => Env, () => string[]]>([
    ['a short secret', 'SECRET_MISSING', () => ({ SVC_SECRET: 'short' }), () => []],
    ['a short admin token', 'SECRET_MISSING', () => ({ SVC_ADMIN_TOKEN: 'short' }), () => []],
    ['a port named twice', 'PORT_IN_USE', () => ({}), () => ['--port', taken(), '--admin-port', taken()]],
    ['a port in use', 'PORT_IN_USE', () => ({}), () => ['--port', taken()]],
    ['an admin port in use', 'PORT_IN_USE', () => ({}), () => ['--admin-port', taken()]],
    [
      'an address of another machine',
      'NO_SUCH_HOST',
      () => ({}),
      () => ['--host', '192.0.2.1', '--public-url', 'https://a.example'],
    ],
    ['no public address', 'PUBLIC_URL_MISSING', () => ({}), () => ['--host', '0.0.0.0']],
    ['a public address that is none', 'PUBLIC_URL_INVALID', () => ({}), () => ['--public-url', 'nowhere']],
    ['files nowhere', 'FILES_UNREACHABLE', () => ({ SVC_FILES_URL: 'ftp://a/b' }), () => []],
    ['a folder of another machine', 'FILES_UNREACHABLE', () => ({ SVC_FILES_URL: 'file://other/a' }), () => []],
    ['a file for a folder', 'FOLDER_NOT_WRITABLE', () => ({ SVC_FILES_URL: `file://${fileIn('plain')}` }), () => []],
    ['a bucket that is not there', 'FILES_UNREACHABLE', () => ({ SVC_FILES_URL: 's3://none?endpoint=x' }), () => []],
    [
      'a database that does not answer',
      'DATABASE_UNREACHABLE',
      () => ({ SVC_DATABASE_URL: 'postgres://svc@127.0.0.1:1/svc' }),
      () => [],
    ],
    ['a mail server that is none', 'MISUSE', () => ({ SVC_SMTP_URL: 'nowhere' }), () => []],
    ['a delay that is none', 'MISUSE', () => ({}), () => ['--shutdown-delay', '5']],
    ['a host that is none', 'MISUSE', () => ({}), () => ['--allowed-host', 'https://a.example/x']],
  ])('%s', async (_, code, env, words) => {
    const refused = await refusal(env(), ...words())

    expect(refused.code).toBe(code)
    expect(await wrongByCheck(env(), ...words())).toEqual({
      code: refused.code,
      message: refused.message,
      hint: refused.hint,
    })
  })

  it('a folder that another process holds', async () => {
    const env = { SVC_FILES_URL: `file://${join(world.folder, 'held')}` }
    const held = await world.startWith(env)

    const refused = await refusal(env)

    expect(refused.code).toBe('ALREADY_RUNNING')
    expect(await wrongByCheck(env)).toMatchObject({ code: 'ALREADY_RUNNING', hint: refused.hint })
    await held.stop()
    expect(await wrongByCheck(env)).toBeUndefined()
  })
})

describe('a bucket that cannot be opened', () => {
  it.each([
    [
      'is in another region',
      () => ({ SVC_FILES_URL: `s3://things?endpoint=${elsewhere.url}` }),
      'The bucket "things" is in the region "eu-central-1", not in "us-east-1".',
      'region=eu-central-1',
    ],
    [
      'does not exist',
      () => ({ SVC_FILES_URL: world.env.SVC_FILES_URL?.replace('things', 'others') }),
      'Bucket "others" does not exist at http://127.0.0.1:',
      'SVC_FILES_URL',
    ],
    [
      'does not answer',
      () => ({ SVC_FILES_URL: 's3://things?endpoint=http://127.0.0.1:1' }),
      'The bucket "things" does not answer: connect ECONNREFUSED 127.0.0.1:1.',
      'http://127.0.0.1:1 can be reached',
    ],
    [
      'has an endpoint that is not an address',
      () => ({ SVC_FILES_URL: 's3://things?endpoint=s3.example.com' }),
      'The endpoint "s3.example.com" is not the address of a server.',
      'https://',
    ],
    [
      'has no keys',
      () => ({ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true' }),
      'No keys found for the bucket "things".',
      'AWS_ACCESS_KEY_ID',
    ],
  ])('because it %s, says so', async (_, env, message, hint) => {
    const refused = await refusal(env())

    expect(refused.code).toBe('FILES_UNREACHABLE')
    expect([refused.message, refused.hint]).toEqual([expect.stringContaining(message), expect.stringContaining(hint)])
  })
})

describe('a database that will not do', () => {
  it('a role without rights is told what it lacks', async () => {
    const SVC_DATABASE_URL = await world.postgres.newDatabase()
    await query(SVC_DATABASE_URL, 'create role weak login', 'create schema svc')
    const weak = SVC_DATABASE_URL.replace('svc@', 'weak@')

    const refused = await refusal({ SVC_DATABASE_URL: weak })

    expect(refused).toMatchObject({
      code: 'NO_RIGHTS',
      message: expect.stringMatching(/role of --database-url .*permission denied for schema svc/),
      hint: expect.stringContaining('owner to'),
    })
    expect(await findings({ SVC_DATABASE_URL: weak })).toContainEqual(
      expect.objectContaining({ code: 'NO_RIGHTS', level: 'wrong' }),
    )
  })

  it('one that stores no texts of all languages is refused before anything is in it', async () => {
    const SVC_DATABASE_URL = (await world.postgres.newDatabase()).replace(/\w+$/, 'latin')
    await query(
      world.postgres.url,
      "create database latin encoding 'LATIN1' locale_provider libc locale 'C' template template0",
    )
    onTestFinished(() => query(world.postgres.url, 'drop database latin with (force)'))

    expect(await refusal({ SVC_DATABASE_URL })).toMatchObject({
      code: 'ENCODING',
      hint: expect.stringContaining("encoding 'UTF8'"),
    })
    expect(await findings({ SVC_DATABASE_URL })).toMatchObject([{ code: 'ENCODING', level: 'wrong' }])
  })

  it('a password with a # in it says how that is written', async () => {
    const refused = await refusal({ SVC_DATABASE_URL: 'postgres://svc:pass#word@127.0.0.1:1/svc' })

    expect(refused).toMatchObject({ code: 'DATABASE_UNREACHABLE', hint: expect.stringContaining('# is %23') })
    expect(JSON.stringify(refused)).not.toContain('#word')
  })

  it('the address for what listens is found wrong by the check as by a start, and names its flag', async () => {
    const env = { SVC_DATABASE_LISTEN_URL: 'postgres://svc@127.0.0.1:1/svc' }

    const refused = await refusal(env)

    expect(refused).toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining('Could not open postgres://127.0.0.1:1/svc'),
      hint: expect.stringContaining('--database-listen-url'),
    })
    expect(await findings(env)).toMatchObject([
      // A server of another name is taken for one behind a pooler.
      { code: 'POOLER', level: 'note' },
      { code: 'DATABASE_UNREACHABLE', level: 'wrong', remedy: expect.stringContaining('--database-listen-url') },
    ])
  })

  it('an address of several hosts is refused by a start and by the check', async () => {
    const env = { SVC_DATABASE_URL: 'postgres://svc:hidden@one:5432,two:5432/svc' }
    const remedy = expect.stringContaining('HAProxy in front of the servers')

    const refused = await refusal(env)

    expect(refused).toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: 'The address in --database-url names several hosts.',
      hint: remedy,
    })
    expect(await findings(env)).toMatchObject([{ code: 'DATABASE_UNREACHABLE', level: 'wrong', remedy }])
  })
})

it('a server without TLS is named, and no warning of the driver is in the way', async () => {
  const SVC_DATABASE_URL = `${world.postgres.url}?sslmode=require`

  const { stderr } = await world.runAlone(['--port', '0', '--admin-port', '0'], { SVC_DATABASE_URL })

  expect(stderr).toContain('The server does not support SSL connections.')
  expect(stderr).not.toContain('Warning')
})

it.each([
  ['--shutdown-delay', '5', '0s to 1h'],
  ['--shutdown-delay', 'soon', '0s to 1h'],
  ['--shutdown-delay', '2h', '0s to 1h'],
  ['--hang-timeout', '10ms', '0s, or 1s to 1h'],
])('%s %s is refused', async (flag, given, times) => {
  const refused = await refusal({}, flag, given)

  expect(refused).toMatchObject({
    ...{ code: 'MISUSE', message: `Invalid ${flag} "${given}".` },
    hint: expect.stringContaining(`Use ${times}, `),
  })
})

it('a mail server that takes no mail is found wrong by the check, and one that does is not', async () => {
  const mail = await startSmtp({})
  const found = await findings({ SVC_SMTP_URL: mail.url })
  mail.close()

  expect(found).toEqual([])
  expect(await findings({ SVC_SMTP_URL: 'smtp://ada:hidden@127.0.0.1:1' })).toEqual([
    {
      code: 'MAIL_UNREACHABLE',
      level: 'wrong',
      message: 'The mail server refused the connection or login: connect ECONNREFUSED 127.0.0.1:1.',
      remedy: 'Check host, port, user and password in SVC_SMTP_URL.',
    },
  ])
})

describe('a secret', () => {
  it('that is missing or too short is reported as SECRET_MISSING only, although other processes have one', async () => {
    await (await world.start()).stop()

    for (const SVC_SECRET of [undefined, 'short'])
      expect((await findings({ SVC_SECRET })).map(({ code }) => code)).toEqual(['SECRET_MISSING'])
  })

  it('whose file is a folder names both', async () => {
    const { stderr } = await world.run([], { SVC_SECRET: undefined, SVC_SECRET_FILE: world.folder })

    expect(stderr).toContain(`SVC_SECRET_FILE names "${world.folder}", which cannot be read: it is a folder.`)
  })
})

it.each(['--port', '--admin-port'])('a port in use is named by its flag %s', async (flag) => {
  const taken = new URL(elsewhere.url).port

  const refused = await refusal({}, flag, taken)

  expect(refused).toMatchObject({
    code: 'PORT_IN_USE',
    message: `Port ${taken} is in use.`,
    hint: expect.stringContaining(flag),
  })
})
