/** TLS to the database, as its address asks for it: what is in the way is refused, and says what to change. */
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Certificates, newCertificates } from '../fixtures/databases/certificates.js'
import { nobody, type PostgresServer, startPostgres } from '../fixtures/databases/postgres.js'
import { patiently } from '../fixtures/patience.js'
import { openServeWorld, type ServeWorld } from '../fixtures/serve.js'

let world: ServeWorld
let certificates: Certificates
/** Their certificate is for `localhost`. */
let server: PostgresServer
let expired: PostgresServer
beforeAll(async () => {
  certificates = await newCertificates(process.getuid?.() === 0 ? nobody : undefined)
  const { key: ssl_key_file, authority: ssl_ca_file } = certificates
  const withTls = (ssl_cert_file: string) =>
    startPostgres({ settings: { ssl: 'on', ssl_cert_file, ssl_key_file, ssl_ca_file } })
  ;[world, server, expired] = await Promise.all([
    openServeWorld(),
    withTls(certificates.server),
    withTls(certificates.expired),
  ])
  // For `strict` without TLS, and for `known` without a certificate, there is no entry.
  await ask(
    server.url,
    `copy (values ('hostssl all strict 127.0.0.1/32 trust'), ('hostssl all known 127.0.0.1/32 trust clientcert=verify-ca'),
      ('host all svc 127.0.0.1/32 trust')) to '${(await ask(server.url, 'show hba_file'))[0]?.hba_file}'`,
  )
  await ask(server.url, 'create role strict login', 'create role known login', 'select pg_reload_conf()')
})
afterAll(async () => {
  await Promise.all([server.stop(), expired.stop(), world.close()])
  await certificates.remove()
})

async function ask(url: string, ...statements: string[]): Promise<Record<string, string>[]> {
  const client = new pg.Client(url)
  await client.connect()
  const answers = []
  for (const statement of statements) answers.push(await client.query(statement))
  await client.end()
  return answers.at(-1)?.rows ?? []
}

/** The address of a server, with what follows its `?`. */
const named = (query: string, { url } = server) => `${url.replace('127.0.0.1', 'localhost')}?${query}`
const trusting = () => `sslrootcert=${certificates.authority}`

const refused: readonly (readonly [string, () => string, string, string])[] = [
  [
    'an authority that is not known here',
    () => named('sslmode=require'),
    'certificate in certificate chain',
    '&sslrootcert=',
  ],
  [
    'another authority',
    () => named(`sslmode=verify-full&sslrootcert=${certificates.otherAuthority}`),
    'certificate in certificate chain',
    '&sslrootcert=',
  ],
  [
    'another name',
    () => `${server.url}?sslmode=require&${trusting()}`,
    'does not match certificate',
    'host name of the certificate',
  ],
  [
    'a certificate that is over',
    () => named(`sslmode=require&${trusting()}`, expired),
    'certificate has expired',
    'Renew the certificate',
  ],
  ['a server without TLS', () => `${world.postgres.url}?sslmode=require`, 'does not support SSL', 'Set ssl = on'],
  [
    'a server that insists on it',
    () => server.url.replace('svc@', 'strict@'),
    'no encryption',
    'add ?sslmode=require to',
  ],
  [
    'a server that asks for a certificate',
    () => named(`sslmode=require&${trusting()}`).replace('svc@', 'known@'),
    'requires a valid client certificate',
    'with sslcert and sslkey',
  ],
  [
    'a certificate that the server does not know',
    () => {
      const own = `sslcert=${certificates.otherAuthority}&sslkey=${certificates.otherKey}`
      return named(`sslmode=require&${trusting()}&${own}`).replace('svc@', 'known@')
    },
    'unknown ca',
    'with sslcert and sslkey',
  ],
  [
    'a file that is missing',
    () => named('sslmode=require&sslrootcert=/nowhere/ca.pem'),
    'sslrootcert names "/nowhere/ca.pem", which cannot be read (ENOENT)',
    'a readable PEM file',
  ],
  ['a file of another kind', () => named('sslrootcert=/etc/passwd'), 'which is not a PEM file', 'a readable PEM file'],
  ['a mode that there is not', () => named('sslmode=required'), 'sslmode=required is not known', 'Use sslmode=require'],
  [
    'a name that is misspelled',
    () => named('ssl_mode=require'),
    'setting "ssl_mode" is not known',
    'sslmode, sslrootcert',
  ],
]

describe('a start and the check refuse', () => {
  it.each(refused)('%s', async (_, address, message, remedy) => {
    const SVC_DATABASE_URL = address()

    const { stdout } = await world.run(['--port', '0', '--admin-port', '0', '--json'], { SVC_DATABASE_URL })

    const error = {
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(remedy),
    }
    expect(JSON.parse(stdout)).toMatchObject({ error })
    const [finding] = await findings({ SVC_DATABASE_URL })
    expect([finding?.code, finding?.remedy]).toEqual([error.code, JSON.parse(stdout).error.hint])
  })

  it('an authority that is not known, in SVC_DATABASE_LISTEN_URL', async () => {
    const [SVC_DATABASE_URL, SVC_DATABASE_LISTEN_URL] = [
      named(`sslmode=require&${trusting()}`),
      named('sslmode=require'),
    ]

    const remedy = expect.stringContaining('--database-listen-url …?sslmode=require&sslrootcert=')
    expect(await findings({ SVC_DATABASE_URL, SVC_DATABASE_LISTEN_URL })).toContainEqual(
      expect.objectContaining({ code: 'DATABASE_UNREACHABLE', remedy }),
    )
  })
})

async function findings(env: Readonly<Record<string, string>>) {
  const { stdout } = await world.run(['check', '--port', '0', '--admin-port', '0', '--json'], env)
  const checks: { check: string; findings: { code: string; remedy: string }[] }[] = JSON.parse(stdout).checks
  return checks.filter(({ check }) => check === 'database').flatMap(({ findings }) => findings)
}

it('each connection is encrypted, also the one that listens, and none needs the files once they were read', async () => {
  const file = join(world.folder, 'authority.pem')
  await copyFile(certificates.authority, file)
  const url = named(`sslmode=verify-full&sslrootcert=${file}`)
  const serving = await world.startWith({ SVC_DATABASE_URL: url, SVC_DATABASE_LISTEN_URL: url })
  const { owner } = await serving.newProject()
  await owner.collections.create({ name: 'posts' })
  const ours = `from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'svc%'`
  const plain = () => ask(server.url, `select application_name ${ours} and not ssl`)
  expect(await plain()).toEqual([])
  const [before] = await ask(server.url, `select count(*) ${ours}`)
  expect(Number(before?.count)).toBeGreaterThan(1)

  await rm(file)
  await ask(server.url, `select pg_terminate_backend(pid) ${ours}`)

  const posts = owner.collection('posts')
  await Promise.all(Array.from({ length: 40 }, (_, n) => posts.create({ n })))
  expect(await posts.count()).toBe(40)
  const readiness = async () => (await fetch(`${serving.adminUrl}/readyz`)).json()
  await expect.poll(readiness, patiently).toMatchObject({ database: 'ok' })
  expect(await plain()).toEqual([])
  expect((await serving.stop()).exit).toBe(0)
})
