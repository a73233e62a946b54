import { randomUUID } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detectForms } from '../../cli/dialects/detect-forms.js'
import { type Axis, axisNames, type Dialect, listForms } from '../../client/protocol/wire/axes.js'
import { dialects, formatDialect } from '../../client/protocol/wire/dialects.js'
import { endsByItself } from '../fixtures/patience.js'
import {
  type DeployedDocument,
  type DeployedService,
  openDeployedService,
} from '../fixtures/requests/deployed-service.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from './command-line.js'

let world: World
let here: SharedProject

beforeAll(async () => {
  world = await openWorld()
  here = await world.useEmulator()
})
afterAll(() => world.close())

/** A project that speaks this dialect and was never asked for another; answers its key. */
async function aService(dialect: string, { documents = 0 } = {}): Promise<string> {
  const call = async (path: string, headers: Record<string, string>, body: unknown) => {
    const init = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    const response = await fetch(`${here.url}${path}`, init)
    expect(response.status, await response.clone().text()).toBe(201)
    return response.json()
  }
  const { apiKey } = await call(
    '/_svc/api/projects',
    { 'svc-control-token': here.controlToken },
    { settings: { dialect } },
  )
  const headers = { 'x-api-key': apiKey, 'svc-dialect': 'a' }
  if (documents > 0) await call('/collections', headers, { name: 'posts' })
  for (let at = 0; at < documents; at++) await call('/collections/posts', headers, { title: `Post ${at}` })
  return apiKey
}

/** Axes that reading shows, of a collection with documents. */
const readable: readonly Axis[] = ['paths', 'document', 'record', 'list', 'paging', 'filters', 'errors']

function formsOfFindings(findings: readonly { axis: Axis; form: string }[]) {
  return Object.fromEntries(findings.map(({ axis, form }) => [axis, form]))
}

function readableOf(dialect: Dialect) {
  return Object.fromEntries(readable.map((axis) => [axis, dialect[axis]]))
}

/** The named dialects, and each with another form on one axis. */
const spoken: Dialect[] = Object.values<Dialect>(dialects).flatMap((base) => [
  base,
  ...axisNames().flatMap((axis) =>
    listForms(axis)
      .filter((form) => form !== base[axis])
      .map((form) => ({ ...base, [axis]: form }) as Dialect),
  ),
])

test('a service that says its dialect is believed in every form, also without any collection', async () => {
  for (const dialect of spoken) {
    const key = await aService(formatDialect(dialect))

    expect(formsOfFindings(await detectForms({ url: here.url, key }))).toEqual(dialect)
  }
})

/** The paths of each shape of documents, as the specification lists them: a service may have one of both only. */
const others = /^(\/collections$|\/auth-collections\/users)/
const shapes = {
  flat: [others, /^\/collections\/[^/]+(\/[^/]+)?$/],
  nested: [others, /^\/collections\/[^/]+(\/documents(\/[^/]+)?)?$/],
}

/** The service, without the paths of the other shape. */
function openOneShape(shape: keyof typeof shapes) {
  return openInFront((path) => {
    const isDocumentOfFlat = shape === 'flat' && path.endsWith('/documents')
    return !isDocumentOfFlat && shapes[shape].some((form) => form.test(path)) ? 'passed' : 'missing'
  })
}

/** Passes requests on to the service, and answers without their dialect; answers 404 or 500, or nothing at all. */
async function openInFront(fate: (path: string) => 'passed' | 'missing' | 'broken' | 'held' = () => 'passed') {
  let onHeld = () => {}
  const held = new Promise<void>((resolve) => {
    onHeld = resolve
  })
  const methods = new Set<string | undefined>()
  const server = createServer((req, res) => {
    methods.add(req.method)
    const what = fate(req.url?.split('?')[0] ?? '')
    if (what === 'held') return onHeld()
    if (what !== 'passed') {
      res.writeHead(what === 'missing' ? 404 : 500).end()
      return
    }
    const headers = { ...req.headers, host: new URL(here.url).host }
    const onward = request(here.url + req.url, { method: req.method, headers }, (answer) => {
      const { 'svc-dialect': _, ...rest } = answer.headers
      res.writeHead(answer.statusCode ?? 502, rest)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    req.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods,
    held,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('of a service that does not say it, documents show the forms that reading can show, and never a wrong one', async () => {
  const service = await openInFront()
  for (const dialect of spoken) {
    const key = await aService(formatDialect(dialect), { documents: 2 })

    const findings = await detectForms({ url: service.url, key })

    expect(formsOfFindings(findings), formatDialect(dialect)).toEqual(readableOf(dialect))
    expect(findings.filter(({ evidence }) => evidence.length < 10)).toEqual([])
  }
  service.close()

  expect([...service.methods]).toEqual(['GET'])
})

test.each(Object.entries(dialects))(
  'a service with the paths of one shape only shows as much, when it speaks %s',
  async (name, dialect) => {
    const service = await openOneShape(dialect.paths)

    const findings = await detectForms({ url: service.url, key: await aService(name, { documents: 2 }) })
    service.close()

    expect(formsOfFindings(findings)).toEqual(readableOf(dialect))
  },
)

test('a collection without documents and a project without collections show less', async () => {
  const service = await openInFront()
  const key = await aService('b')
  const ofNone = await detectForms({ url: service.url, key })
  await fetch(`${here.url}/collections`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"name":"empty"}',
  })
  const ofEmpty = await detectForms({ url: service.url, key })
  service.close()

  expect(formsOfFindings(ofNone)).toEqual({ record: 'bare', errors: 'detail' })
  expect(formsOfFindings(ofEmpty)).toMatchObject({ paths: 'nested', list: 'array', paging: 'large' })
})

describe('a service as it is deployed', () => {
  let deployed: DeployedService
  const detect = (...more: string[]) =>
    world.svc(['dialects', 'detect', deployed.url, '--key', deployed.apiKey, ...more])

  beforeAll(async () => {
    deployed = await openDeployedService()
    deployed.collections.set('posts', [aDocument({ title: 'Tea' }), aDocument({ title: 'Milk' })])
  })
  afterAll(() => deployed.close())

  test('is told by its users and by the collections that it does not list, without naming one', async () => {
    await world.svc(['profiles', 'add', 'deployed', '--url', deployed.url, '--key', deployed.apiKey])

    const { stdout, exit } = await detect('--save', 'deployed')

    expect(exit).toBe(0)
    expect(stdout).toContain('dialect: d\n')
    expect(await dialectOf('deployed')).toBe('d')
    expect(JSON.parse((await detect('--json')).stdout)).toMatchObject({ dialect: 'd', forms: dialects.d, assumed: [] })
  })

  test('a wrong key, or none, is what ends it', async () => {
    const wrong = await world.svc(['dialects', 'detect', deployed.url, '--key', 'svc_key_wrong'])
    const none = await world.svc(['dialects', 'detect', deployed.url])

    expect(wrong).toMatchObject({ exit: 3, stderr: expect.stringContaining('Invalid API key') })
    expect(none).toMatchObject({ exit: 3, stderr: expect.stringContaining('but none is set') })
  })

  test('nothing that was sent could write, and no collection came of it', () => {
    expect(new Set(deployed.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
    expect([...deployed.collections.keys()]).toEqual(['posts'])
  })
})

function aDocument(data: Record<string, string>): DeployedDocument {
  return { id: randomUUID(), collection_id: 'posts', data, created_at: '2026-01-01T00:00:00.000000' }
}

async function dialectOf(name: string): Promise<string | null | undefined> {
  const profiles = (await world.json(['profiles', 'list'])) as { name: string; dialect?: string }[]
  return profiles.find((profile) => profile.name === name)?.dialect ?? null
}

test('a service that fails shows nothing', async () => {
  const service = await openInFront((path) => (path.startsWith('/auth-collections/') ? 'broken' : 'passed'))

  const ran = await world.svc(['dialects', 'detect', service.url, '--key', await aService('a', { documents: 1 })])
  service.close()

  expect(ran).toMatchObject({ exit: 1, stdout: '', stderr: expect.stringContaining('500') })
})

test('Ctrl-C saves nothing', async () => {
  const service = await openInFront((path) => (path === '/collections' ? 'held' : 'passed'))
  await world.svc(['profiles', 'add', 'stopped', '--url', service.url, '--key', await aService('c')])
  const words = [bin, 'dialects', 'detect', '--profile', 'stopped', '--save', 'stopped']
  const options = { cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, ...endsByItself }

  const child = execa(process.execPath, words, options)
  await service.held
  child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await child
  service.close()

  expect([exitCode, stdout]).toEqual([130, ''])
  expect(stderr).toContain('Stopped. Nothing was detected.')
  expect(await dialectOf('stopped')).toBeNull()
})

test('what a service says of all forms is saved by the name of its dialect', async () => {
  await world.svc(['profiles', 'add', 'mine', '--url', here.url, '--key', await aService('b, errors=envelope')])

  const { stdout, exit } = await world.svc(['dialects', 'detect', '-P', 'mine', '--save', 'mine'])

  expect(exit).toBe(0)
  expect(stdout).toMatch(/errors +envelope +svc-dialect: b, errors=envelope/)
  expect(stdout).not.toContain('assumed')
  expect(await dialectOf('mine')).toBe('b, errors=envelope')
})

test('at a terminal it offers to keep what it found', async () => {
  await world.svc(['profiles', 'add', 'other', '--url', here.url, '--key', await aService('c')])

  await world.terminal(['dialects', 'detect', '-P', 'other'], [['Save it in profile "other"?', 'y\n']])

  expect(await dialectOf('other')).toBe('c')
})

test('a key that is refused ends it, instead of forms being guessed from refusals', async () => {
  const ran = await world.svc(['dialects', 'detect', here.url, '--key', 'svc_key_wrong'])

  expect(ran.exit).toBe(3)
})

test('an address of something else says so', async () => {
  const server = createServer((_, response) => response.writeHead(404).end('<h1>Not found</h1>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const ran = await world.svc(['dialects', 'detect', `http://127.0.0.1:${port}`])

  server.close()
  expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining('does not provide the API') })
})

test('an address where nothing is says so', async () => {
  const ran = await world.svc(['dialects', 'detect', 'http://127.0.0.1:1'])

  expect(ran).toMatchObject({ exit: 7, stderr: expect.stringContaining('Could not reach http://127.0.0.1:1') })
})
