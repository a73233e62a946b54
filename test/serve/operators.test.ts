/** For operators: the check, the guide's first start, and files for Docker, systemd and Kubernetes. */
import { mkdir, mkdtemp, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { execa } from 'execa'
import getPort from 'get-port'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments, parseDocument } from 'yaml'
import { serveFlags } from '../../cli/serve/serve-flags.js'
import type { CheckFinding } from '../../emulator/database/postgres/check.js'
import { bin, hungMilliseconds } from '../cli/command-line.js'
import { startPooler } from '../fixtures/databases/pooler.js'
import { startPostgres } from '../fixtures/databases/postgres.js'
import { endsByItself } from '../fixtures/patience.js'
import { openServeWorld, type ServeWorld } from '../fixtures/serve.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

let world: ServeWorld
beforeAll(async () => {
  world = await openServeWorld()
})
afterAll(() => world.close())

const check = async (words: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) => {
  const { exit, stdout } = await world.run(['check', '--port', '0', '--admin-port', '0', '--json', ...words], env)
  const { checks } = JSON.parse(stdout) as { checks: { check: string; findings: { code: string; level: string }[] }[] }
  const codes = checks.flatMap(({ findings }) =>
    findings.filter(({ level }) => level === 'wrong').map(({ code }) => code),
  )
  return { exit, checks: checks.map(({ check }) => check), codes }
}

describe('svc serve check', () => {
  it('finds a database without durability, and leaves nothing behind', async () => {
    // The tests' server runs without fsync, which loses acknowledged writes.
    expect(await check([])).toEqual({
      exit: 10,
      checks: ['settings', 'ports', 'database', 'files'],
      codes: ['NOT_DURABLE'],
    })
    expect(await world.bucket.objects()).toEqual([])
  })

  it.each([
    ['a secret', { SVC_SECRET: undefined }, 'SECRET_MISSING'],
    ['a database', { SVC_DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'DATABASE_UNREACHABLE'],
    ['a bucket', { SVC_FILES_URL: 's3://nothing?endpoint=http://127.0.0.1:1' }, 'FILES_UNREACHABLE'],
  ])('says that %s is missing', async (_, env, code) => {
    const { exit, codes } = await check([], env)

    expect([exit, codes.filter((found) => found !== 'NOT_DURABLE')]).toEqual([10, [code]])
  })

  it.each([false, true])(
    'says that the keys lack s3:ListBucket (the bucket is shown to them: %s)',
    async (isBucketShown) => {
      world.bucket.refuseLists(true, { isBucketShown })
      const { exit, stdout } = await world.run(['check', '--port', '0', '--admin-port', '0'])
      world.bucket.refuseLists(false)

      expect(exit).toBe(10)
      expect(stdout).toMatch(isBucketShown ? /could not be distinguished from a missing one: / : /refuses the keys, or/)
      expect(stdout).toContain('The keys need s3:ListBucket on the bucket, ')
    },
  )

  it('says that a process takes more connections than the server allows', async () => {
    const small = await startPostgres({ settings: { max_connections: '15' } })
    onTestFinished(small.stop)

    expect((await check([], { SVC_DATABASE_URL: small.url })).codes).toContain('CONNECTIONS')
  })

  it('counts what goes past a pooler, and says what the pooler has to take', async () => {
    const pooler = await startPooler(world.postgres, { keepsPrepared: true })
    onTestFinished(() => pooler.close())
    const database = await world.postgres.newDatabase()
    const env = { SVC_DATABASE_URL: pooler.url(database), SVC_DATABASE_LISTEN_URL: database }
    const run = async () => {
      const { stdout } = await world.run(['check', '--port', '0', '--admin-port', '0', '--json'], env)
      const { checks } = JSON.parse(stdout) as { checks: { findings: CheckFinding[] }[] }
      return checks.flatMap(({ findings }) => findings)
    }
    const remedy = (await run()).find(({ code }) => code === 'DATABASE_SETTINGS')?.remedy ?? ''
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    await client.query(remedy.slice(remedy.indexOf('alter role'))).finally(() => client.end())
    pooler.reconnect()

    const found = await run()

    expect(found.map(({ code }) => code)).not.toContain('CONNECTIONS')
    expect(found).toContainEqual(
      expect.objectContaining({
        code: 'POOLER',
        level: 'note',
        message: "Each process uses up to 10 connections of the pooler, and 1 of the server's 300.",
      }),
    )
  })
})

it('a folder of files that another process serves from is refused, with what svc serve takes in its place', async () => {
  const SVC_FILES_URL = pathToFileURL(join(world.folder, 'files')).href
  const first = await world.startWith({ SVC_FILES_URL })

  const { exit, stderr } = await world.run(['--port', '0', '--admin-port', '0'], { SVC_FILES_URL })
  await first.stop()

  expect([exit, stderr]).toEqual([1, expect.stringContaining(`is in use by process ${first.pid}`)])
  expect(stderr).toContain('--files-url s3://bucket/prefix')
  expect(stderr).not.toContain('--data')
})

it('contract 12.4 a folder of files may be a link, and nothing that svc keeps in it', async () => {
  const [linked, larger, outside] = [
    join(world.folder, 'linked'),
    join(world.folder, 'larger'),
    join(world.folder, 'outside'),
  ]
  const SVC_FILES_URL = pathToFileURL(linked).href
  await mkdir(larger)
  await symlink(larger, linked)
  await (await world.startWith({ SVC_FILES_URL })).stop()
  await rename(join(larger, 'files'), outside)
  await symlink(outside, join(larger, 'files'))

  const { exit, stderr } = await world.run(['--port', '0', '--admin-port', '0'], { SVC_FILES_URL })

  expect([exit, stderr]).toEqual([1, expect.stringContaining(`"${join(linked, 'files')}" is a symbolic link`)])
})

it('the guide’s first start runs word for word', async () => {
  const guide = await readFile(join(root, 'docs/guides/serve.md'), 'utf8')
  const section = guide.slice(guide.indexOf('## Start one process'), guide.indexOf('## Change a setting'))
  const [port, adminPort] = await Promise.all([getPort(), getPort()])
  const commands = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text).join('\n')
  const { SVC_SECRET: _, SVC_ADMIN_TOKEN: __, SVC_DATABASE_URL, SVC_FILES_URL, ...env } = world.env
  const database = await world.postgres.newDatabase()
  // With what a shell would take for its own, were it not in quotes.
  const address = new URL(database)
  address.searchParams.set('sslmode', 'disable')
  address.searchParams.set('application_name', '$HOME;`id`')
  // The tests' server is not durable, which the check reports.
  const script = commands.replace(/^svc serve check.*$/gm, '$& || test $? = 10')

  // A process of its own, as where it is installed: the guide stops it by its pid.
  const svc = join(world.folder, 'svc')
  await writeFile(svc, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 })
  const { exitCode, stdout, stderr } = await execa(
    'bash',
    ['-eu', '-o', 'pipefail', '-c', script.replaceAll('4400', `${port}`).replaceAll('4401', `${adminPort}`)],
    {
      cwd: world.folder,
      env: { ...env, PATH: `${world.folder}:${env.PATH}`, DATABASE_URL: address.href, FILES_URL: SVC_FILES_URL ?? '' },
      extendEnv: false,
      reject: false,
      timeout: hungMilliseconds / 2,
    },
  )

  expect(SVC_DATABASE_URL).not.toBe(database)
  expect(exitCode, stderr).toBe(0)
  expect(stdout).toMatch(/"status":"ready"[\s\S]*Hello[\s\S]*Stopped\./)
  // Both hold what opens everything.
  for (const name of ['serve.env', 'project.json']) expect((await stat(join(world.folder, name))).mode & 0o077).toBe(0)
})

describe('the files of deploy/', () => {
  const variables = Object.values(serveFlags).flatMap(({ env = [] }) => env)
  const secrets = ['SVC_SECRET', 'SVC_ADMIN_TOKEN', 'SVC_DATABASE_URL', 'SVC_SMTP_URL']
  const known = new Set([...variables, ...secrets, ...secrets.map((name) => `${name}_FILE`), 'SVC_VERSION'])
  const names = ['Dockerfile', 'compose.yaml', 'haproxy.cfg', 'svc@.service', 'kubernetes.yaml']
  const deployed = (name: string) => readFile(join(root, 'deploy', name), 'utf8')

  it.each(names)('%s names flags and variables that there are, and the same two ports', async (name) => {
    const text = (await deployed(name)).replace(/^#.*$/gm, '')

    const unknown = [...text.matchAll(/\bSVC_[A-Z_]+\b/g)].map(([found]) => found).filter((found) => !known.has(found))
    const flags = [...text.matchAll(/svc serve(.*)$/gm)].flatMap(([, words]) => [
      ...(words ?? '').matchAll(/--([a-z-]+)/g),
    ])
    const ports = [...text.matchAll(/\b44\d\d\b/g)].map(([port]) => port)

    expect(unknown).toEqual([])
    expect(flags.map(([, flag]) => flag).filter((flag) => !Object.hasOwn(serveFlags, flag ?? ''))).toEqual([])
    // The instance name of the unit gives its ports.
    expect(new Set(ports)).toEqual(new Set(name === 'svc@.service' ? [] : ['4400', '4401']))
  })

  it.each(['compose.yaml', 'kubernetes.yaml'])('%s is YAML', async (name) => {
    const documents = parseAllDocuments(await deployed(name))

    expect(documents.length).toBeGreaterThan(0)
    for (const document of documents) expect(document.errors).toEqual([])
  })

  it('Kubernetes lets a process have the memory that the guide says it may take', async () => {
    const guide = await readFile(join(root, 'docs/guides/replicas.md'), 'utf8')
    const [, ...parts] = /about (\d+) MB at rest, and up to (\d+) MB for bodies/.exec(guide) ?? []
    const [, gibibytes] = /limits: \{ memory: (\d+)Gi \}/.exec(await deployed('kubernetes.yaml')) ?? []

    expect(parts).toHaveLength(2)
    expect(Number(gibibytes) * 1024).toBeGreaterThan(parts.reduce((sum, part) => sum + Number(part), 0))
  })

  it('no variable that Kubernetes makes of a service is one of ours', async () => {
    const documents = parseAllDocuments(await deployed('kubernetes.yaml')).map((document) => document.toJS())
    const { enableServiceLinks, containers } = documents.find(({ kind }) => kind === 'Deployment').spec.template.spec
    const written: string[] = containers[0].env.map(({ name }: { name: string }) => name)
    const made = documents
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata }) => `${metadata.name.replaceAll('-', '_').toUpperCase()}_PORT`)
      .filter((name) => known.has(name))

    expect(made).toEqual(['SVC_PORT', 'SVC_ADMIN_PORT'])
    expect([enableServiceLinks, written]).toEqual([false, expect.arrayContaining(made)])
  })

  it.runIf(process.getuid?.() === 0)('the user of the image and of the pod needs no entry in /etc/passwd', async () => {
    const uids = await Promise.all([
      deployed('Dockerfile').then((text) => /^USER (\d+)/m.exec(text)?.[1]),
      deployed('kubernetes.yaml').then((text) => /runAsUser: (\d+)/.exec(text)?.[1]),
    ])
    expect(uids).toEqual(['10001', '10001'])

    const { exitCode, stdout, stderr } = await execa(process.execPath, [bin, 'serve', 'keys'], {
      ...{ uid: Number(uids[0]), cwd: '/', env: { PATH: process.env.PATH }, extendEnv: false, reject: false },
      ...endsByItself,
    })

    expect([exitCode, stdout], stderr).toEqual([0, expect.stringMatching(/^SVC_SECRET=/)])
  })

  it('the guide makes each secret that they take, and names what they insist on', async () => {
    const guide = await readFile(join(root, 'docs/guides/replicas.md'), 'utf8')
    const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text).join('\n')
    const folder = await mkdtemp(join(world.folder, 'deploy-'))
    // Tools that are missing on this machine keep their environment and their file.
    const said = '#!/bin/sh\nprintenv > "$(basename "$0").env"\ncp secret.env kept.env 2> /dev/null || true\n'
    for (const name of ['docker', 'kubectl', 'install', 'systemctl']) {
      await writeFile(join(folder, name), said, { mode: 0o755 })
    }
    const handedOn = { AWS_REGION: 'eu-central-1', SVC_SMTP_URL: 'smtps://mail.example.com' }
    const env = { ...world.env, ...handedOn, PATH: `${folder}:${process.env.PATH}` }
    const shell = ['-eu', '-o', 'pipefail', '-c', `umask 077\n${commands}`]
    const run = () => execa('bash', shell, { cwd: folder, env, extendEnv: false, reject: false })
    const drawn = () => readFile(join(folder, 'deploy/secrets/database-password'), 'utf8')
    expect(await run()).toMatchObject({ exitCode: 0 })
    const first = await drawn()
    // As for another version: the volume of the database keeps its password.
    expect(await run()).toMatchObject({ exitCode: 0 })
    expect(await drawn()).toBe(first)

    const text = await deployed('compose.yaml')
    const { secrets: made, services } = parseDocument(text).toJS()
    // Else the image of the former version goes on.
    expect(services['svc-1'].image).toContain('${SVC_VERSION')
    expect(Object.keys(services['svc-1'].environment)).toEqual(expect.arrayContaining(Object.keys(handedOn)))
    expect(services['svc-2']).toEqual(services['svc-1'])
    for (const { file } of Object.values<{ file: string }>(made)) {
      const { mode, size } = await stat(join(folder, 'deploy', file))
      expect([file, mode & 0o004, size > 10]).toEqual([file, 0o004, true])
    }
    const [password, address] = await Promise.all(
      ['password', 'url'].map((name) => readFile(join(folder, `deploy/secrets/database-${name}`), 'utf8')),
    )
    expect(new URL(address ?? '')).toMatchObject({ username: 'svc', password, host: 'postgres:5432', pathname: '/svc' })
    const given = await readFile(join(folder, 'docker.env'), 'utf8')
    const insisted = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    expect(insisted.filter((name) => !given.includes(`${name}=`))).toEqual([])
    const kept = parseEnv(await readFile(join(folder, 'kept.env'), 'utf8'))
    const { SVC_SECRET, SVC_ADMIN_TOKEN, SVC_DATABASE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = world.env
    const secret = { SVC_SECRET, SVC_ADMIN_TOKEN, SVC_DATABASE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
    expect(kept).toEqual({ ...secret, ...handedOn })
  })

  it('each gives a process longer to end than it takes', async () => {
    const [compose, unit, kubernetes] = await Promise.all(
      ['compose.yaml', 'svc@.service', 'kubernetes.yaml'].map(deployed),
    )
    const graces = [/stop_grace_period: (\d+)s/, /TimeoutStopSec=(\d+)/, /terminationGracePeriodSeconds: (\d+)/].map(
      (form, at) => Number(form.exec([compose, unit, kubernetes][at] ?? '')?.[1]),
    )

    // The delay of 5 s, the time-out of 20 s, and 10 s that closing may take.
    for (const grace of graces) expect(grace).toBeGreaterThan(35)
  })
})
