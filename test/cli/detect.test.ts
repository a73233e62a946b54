import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { detectForms } from '../../cli/dialects/detect-forms.js'
import { type Axis, axisNames, type Dialect, formsOf } from '../../client/protocol/wire/axes.js'
import { dialects, formatDialect } from '../../client/protocol/wire/dialects.js'
import { endsByItself, patiently } from '../fixtures/patience.js'
import { bin, cleanEnv, type Dev, openWorld, type World } from './command-line.js'

let world: World
let dev: Dev
let controlToken: string

beforeAll(async () => {
  world = await openWorld()
  dev = await world.dev('--memory')
  controlToken = JSON.parse(readFileSync(join(world.folder, '.svc', 'emulator.json'), 'utf8')).controlToken
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
    const response = await fetch(`${dev.url}${path}`, init)
    expect(response.status, await response.clone().text()).toBe(201)
    return response.json()
  }
  const { apiKey } = await call('/_svc/api/projects', { 'svc-control-token': controlToken }, { settings: { dialect } })
  const headers = { 'x-api-key': apiKey, 'svc-dialect': 'a' }
  if (documents > 0) await call('/collections', headers, { name: 'posts' })
  for (let at = 0; at < documents; at++) await call('/collections/posts', headers, { title: `Post ${at}` })
  return apiKey
}

/** Axes that no allowed request can detect. */
const unknowable: readonly Axis[] = ['two_factor']

/** The named dialects, and each with another form on one axis. */
const spoken: Dialect[] = Object.values<Dialect>(dialects).flatMap((base) => [
  base,
  ...axisNames()
    .filter((axis) => !unknowable.includes(axis))
    .flatMap((axis) =>
      formsOf(axis)
        .filter((form) => form !== base[axis])
        .map((form) => ({ ...base, [axis]: form }) as Dialect),
    ),
])

describe('with --write every form is found, of a service without any collection', () => {
  test.each(spoken.map((dialect) => [formatDialect(dialect), dialect] as const))('%s', async (text, dialect) => {
    const key = await aService(text)

    const findings = await detectForms({ url: dev.url, key, mayWrite: true })

    const found = Object.fromEntries(findings.map(({ axis, form }) => [axis, form]))
    const { two_factor: _, ...knowable } = dialect
    expect(found).toEqual(knowable)
    expect(findings.filter(({ evidence }) => evidence.length < 10)).toEqual([])
  })
})

/** The paths of each shape of documents, as the specification lists them: a service may have one of both only. */
const ofCollections = /^(\/api)?\/collections$/
const shapes = {
  flat: [ofCollections, /^\/collections\/[^/]+(\/[^/]+)?$/, /^\/realtime\//],
  nested: [ofCollections, /^\/collections\/[^/]+(\/documents(\/[^/]+)?)?$/, /^\/realtime\//],
}

/** The service, without the paths of the other shape. */
function openOneShape(shape: keyof typeof shapes) {
  return openInFront((_, path) => {
    const isDocumentOfFlat = shape === 'flat' && path.endsWith('/documents')
    return !isDocumentOfFlat && shapes[shape].some((form) => form.test(path)) ? 'passed' : 'missing'
  })
}

/** What passes requests on to the service, answers 404, or nothing at all. */
async function openInFront(fate: (method: string, path: string) => 'passed' | 'missing' | 'held') {
  let onHeld = () => {}
  const held = new Promise<void>((resolve) => {
    onHeld = resolve
  })
  const server = createServer((req, res) => {
    const what = fate(req.method ?? '', req.url?.split('?')[0] ?? '')
    if (what === 'held') return onHeld()
    if (what === 'missing') {
      res.writeHead(404).end()
      return
    }
    const headers = { ...req.headers, host: new URL(dev.url).host }
    const onward = request(dev.url + req.url, { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    req.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test.each(Object.entries(dialects))(
  'of a service with the paths of one shape only, all is found that %s is',
  async (name, dialect) => {
    const service = await openOneShape(dialect.paths)
    const { two_factor: _, ...knowable } = dialect

    const written = await detectForms({ url: service.url, key: await aService(name), mayWrite: true })
    const read = await detectForms({ url: service.url, key: await aService(name, { documents: 2 }), mayWrite: false })
    const ofNone = await detectForms({ url: service.url, key: await aService(name), mayWrite: false })
    service.close()

    expect(Object.fromEntries(written.map(({ axis, form }) => [axis, form]))).toEqual(knowable)
    const seen = ['paths', 'document', 'record', 'list', 'paging', 'filters', 'errors']
    expect(read.map(({ axis, form }) => [axis, form])).toEqual(
      expect.arrayContaining(Object.entries(dialect).filter(([axis]) => seen.includes(axis))),
    )
    expect(ofNone.map(({ axis }) => axis)).toEqual(expect.arrayContaining(['record', 'errors']))
  },
)

test('it leaves nothing behind, neither where it writes nor where it only reads', async () => {
  const key = await aService('a', { documents: 1 })
  const seen = async () => (await fetch(`${dev.url}/collections?limit=100`, { headers: { 'x-api-key': key } })).json()
  const before = await seen()

  await detectForms({ url: dev.url, key, mayWrite: true })
  await detectForms({ url: dev.url, key, mayWrite: false })

  expect(await seen()).toEqual(before)
})

test('a collection that the service does not remove is named, with the command that removes it', async () => {
  const target = ['--url', dev.url, '--key', dev.apiKey]
  await world.json(['faults', 'add', 'status', '--status', '403', '--method', 'DELETE'])

  const ran = await world.svc(['dialects', 'detect', ...target, '--write'])
  await world.json(['faults', 'remove', '--all'])

  expect(ran).toMatchObject({ exit: 1, stdout: expect.stringContaining('dialect: a') })
  const [, name = ''] = /svc collections delete (svc-detect-\w+) --url http:/.exec(ran.stderr) ?? []
  expect((await world.svc(['collections', 'delete', name, ...target, '--yes'])).exit).toBe(0)
})

test('a key that may not create a collection is refused, instead of forms being guessed from refusals', async () => {
  await world.json(['faults', 'add', 'status', '--status', '403', '--method', 'POST'])

  const ran = await world.svc(['dialects', 'detect', '--write'])
  await world.json(['faults', 'remove', '--all'])

  expect(ran).toMatchObject({ exit: 3, stdout: '' })
})

test('a key that may only read is refused, and nothing is said to be left', async () => {
  const creating = ['keys', 'create', '--secret', '--name', 'reader', '--scope', 'read', '--quiet']
  const { stdout: key } = await world.svc(creating)

  const ran = await world.svc(['dialects', 'detect', dev.url, '--key', key.trim(), '--write'])

  expect(ran).toMatchObject({ exit: 3, stderr: expect.stringContaining('scopes of the key') })
  expect(ran.stderr).not.toContain('did not remove')
})

test.each([
  ['waits for an event', 'GET', '/realtime/sse/', false],
  ['removes the collection', 'DELETE', '/collections/svc-detect-', true],
] as const)('Ctrl-C while --write %s saves nothing', async (_, method, start, isLeft) => {
  const service = await openInFront((asked, path) => (asked === method && path.startsWith(start) ? 'held' : 'passed'))
  const name = `stopped-${method}`
  await world.svc(['profiles', 'add', name, '--url', service.url, '--key', await aService('c')])
  const words = [bin, 'dialects', 'detect', '--profile', name, '--write', '--save', name, '--yes']
  const options = { cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, ...endsByItself }

  const child = execa(process.execPath, words, options)
  await service.held
  child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await child
  service.close()

  expect([exitCode, stdout]).toEqual([130, ''])
  expect(stderr).toContain('Stopped; nothing was found out.')
  expect(stderr.includes('did not remove')).toBe(isLeft)
  const profiles = (await world.json(['profiles', 'list'])) as { name: string; dialect?: string }[]
  expect(profiles.find((profile) => profile.name === name)?.dialect ?? null).toBeNull()
})

test('Ctrl-C during --write removes the collection', async () => {
  const name = /svc-detect-\w+/
  const slow = ['faults', 'add', 'latency', '--ms', '60000', '--method', 'PUT']
  await world.json(slow)
  const words = [bin, 'dialects', 'detect', '--write']
  const options = { cwd: world.folder, env: cleanEnv(world.folder), extendEnv: false, reject: false, ...endsByItself }
  const child = execa(process.execPath, words, options)
  const listed = async () => (await world.svc(['collections', 'list'])).stdout
  await expect.poll(listed, patiently).toMatch(name)

  child.kill('SIGINT')
  const { exitCode } = await child
  await world.json(['faults', 'remove', '--all'])

  expect(exitCode).toBe(130)
  expect(await listed()).not.toMatch(name)
})

test('by reading alone it finds what documents that are there tell, and never says anything wrong', async () => {
  const wrong: unknown[] = []
  for (const dialect of spoken) {
    const key = await aService(formatDialect(dialect), { documents: 2 })
    const findings = await detectForms({ url: dev.url, key, mayWrite: false })
    const axesFound = findings.map(({ axis }) => axis)
    wrong.push(...findings.filter(({ axis, form }) => dialect[axis] !== form))
    expect(axesFound).toEqual(
      expect.arrayContaining(['record', 'errors', 'list', 'paging', 'document', 'paths', 'filters']),
    )
  }

  expect(wrong).toEqual([])
})

test('it prints each axis with its evidence, what is only assumed, and keeps it where that was said', async () => {
  const key = await aService('b, errors=envelope')
  await world.svc(['profiles', 'add', 'mine', '--url', dev.url, '--key', key])

  const { stdout, exit } = await world.svc(['dialects', 'detect', '-P', 'mine', '--write', '--save', 'mine'])

  expect(exit).toBe(0)
  expect(stdout).toMatch(/list +array +documents come as an array/)
  expect(stdout).toMatch(/two_factor +result +assumed/)
  expect(stdout).toContain('dialect: b, errors=envelope\n')
  expect(await world.json(['profiles', 'list'])).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'mine', dialect: 'b, errors=envelope' })]),
  )
})

test('at a terminal it offers to keep what it found', async () => {
  const key = await aService('c')
  await world.svc(['profiles', 'add', 'other', '--url', dev.url, '--key', key])

  await world.terminal(['dialects', 'detect', '-P', 'other', '--write'], [['Keep it in profile "other"?', 'y\n']])

  expect(await world.json(['profiles', 'list'])).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'other', dialect: 'c' })]),
  )
})

test('what nothing showed is said to be assumed', async () => {
  const key = await aService('b')

  const answer = await world.json(['dialects', 'detect', dev.url, '--key', key])

  expect(answer).toMatchObject({ assumed: expect.arrayContaining(['body', 'put', 'two_factor', 'document']) })
})

test('a key that is refused ends it, instead of forms being guessed from refusals', async () => {
  const ran = await world.svc(['dialects', 'detect', dev.url, '--key', 'svc_key_wrong'])

  expect(ran.exit).toBe(3)
})

test('an address of something else says so', async () => {
  const server = createServer((_, response) => response.writeHead(404).end('<h1>Not found</h1>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const ran = await world.svc(['dialects', 'detect', `http://127.0.0.1:${port}`])

  server.close()
  expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining('does not speak the API') })
})

test('an address where nothing is says so', async () => {
  const ran = await world.svc(['dialects', 'detect', 'http://127.0.0.1:1'])

  expect(ran).toMatchObject({ exit: 7, stderr: expect.stringContaining('Could not reach http://127.0.0.1:1') })
})
