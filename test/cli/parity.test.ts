/** `svc parity`, product against product: two projects that speak different dialects, or the same one over a bad line. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClient } from '../../client/index.js'
import type { Accepted, ParityReport } from '../../client/protocol/control/parity.js'
import { axisNames } from '../../client/protocol/wire/axes.js'
import { type DialectName, dialects } from '../../client/protocol/wire/dialects.js'
import { controlOf } from '../fixtures/events.js'
import { patiently } from '../fixtures/patience.js'
import { inFull, isFull } from '../fixtures/scope.js'
import { newSharedProject, type SharedProject } from '../fixtures/shared-emulator.js'
import { bin, cleanEnv, openWorld, type World } from './command-line.js'
import { type FakeAnswer, openFakeService } from './fake-service.js'

let world: World
let here: SharedProject
let there: SharedProject

beforeEach(async () => {
  world = await openWorld()
  ;[here, there] = await Promise.all([world.useEmulator(), newSharedProject('there')])
  await world.svc(['profiles', 'add', 'staging', '--url', there.url, '--key', there.secretKey])
})
afterEach(() => world.close())

const fast = ['--against', 'staging', '--rate', '1000', '--yes']
const prove = async (...flags: string[]) => (await world.json(['parity', 'run', ...fast, ...flags])) as ParityReport

async function speak(side: SharedProject, dialect: string): Promise<void> {
  await controlOf(side).projects.update({ project: side.projectId, settings: { dialect } })
}

const collectionsThere = async () =>
  (await createClient({ url: there.url, apiKey: there.secretKey }).collections.list()).map(({ name }) => name)

async function expectNothingLeft(): Promise<void> {
  expect(await collectionsThere()).toEqual([])
  const names: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await controlOf(here).projects.list({ after })
    names.push(...page.projects.map(({ name }) => name))
    if (page.next === null) break
    after = page.next
  }
  const runs = readdirSync(join(world.folder, '.svc', 'parity'))
  expect(names.filter((name) => runs.some((run) => name === `parity ${run}`))).toEqual([])
  expect(runs.filter((run) => existsSync(join(world.folder, '.svc', 'parity', run, 'journal.ndjson')))).toEqual([])
}

const pairs: readonly (readonly [DialectName, DialectName])[] = [
  ['d', 'a'],
  ...inFull([['a', 'b'] as const, ['b', 'c'] as const, ['c', 'd'] as const]),
]

describe.each(pairs)('here %s, there %s', (ours, theirs) => {
  test('finds exactly the axes that differ, and its advice leaves no difference', async () => {
    await speak(here, ours)
    await speak(there, theirs)

    const differing = axisNames().filter((axis) => dialects[ours][axis] !== dialects[theirs][axis])

    const before = await prove()
    const applied = (await world.json(['parity', 'apply'])) as { readonly run: string }
    const after = await prove(...(isFull ? [] : ['--group', differing.slice(0, 3).join(',')]))
    const undone = await world.json(['undo'])

    const explained = new Set(before.findings.map(({ mendedBy }) => mendedBy?.split('=')[0]))
    expect([...explained].toSorted()).toEqual(differing.toSorted())
    expect(before.advice).toMatchObject({ dialect: theirs, mends: before.findings.length })
    expect(applied).toMatchObject({ before: ours, dialect: theirs })
    expect(undone).toMatchObject({ command: `parity apply ${applied.run}`, dialect: ours })
    expect(after).toMatchObject({ findings: [], score: 1, coverage: 1, advice: null })
    await expectNothingLeft()
  })
})

test('the settings of an axis that no dialect has by name are advised one by one', async () => {
  await speak(there, 'a, filters=both')

  const { advice, findings } = await prove('--group', 'filters,values')

  expect(advice).toMatchObject({ dialect: 'a, filters=both', forms: ['filters=both'], mends: findings.length })
})

test('a bad line makes no difference, repeats no POST, and leaves nothing behind', async () => {
  const { faults, requests } = controlOf(there)
  const project = there.projectId
  const path = '/collections/**'
  await faults.add({ kind: 'drop', when: 'before', rate: 0.05, seed: 1, project, path })
  await faults.add({ kind: 'drop', when: 'after', rate: 0.05, seed: 2, project, path })
  await faults.add({ kind: 'status', status: 503, retryAfter: 0, rate: 0.1, seed: 3, project, path })
  await faults.add({ kind: 'status', status: 429, retryAfter: 0, rate: 0.1, seed: 4, project })

  const report = await prove('--group', 'filters,writes,batches,record')

  const { requests: sent } = await requests.list({ project, limit: 1_000 })
  const creations = sent.filter(({ method, path }) => method === 'POST' && path === '/collections')
  const bodies = await Promise.all(creations.map(async ({ id }) => (await requests.get({ id })).request.body.text))
  await faults.clear({ project })
  expect(report).toMatchObject({ findings: [], score: 1, stopped: null })
  expect(report.left.filter((name) => !name.startsWith('user '))).toEqual([])
  // A request that was refused before its body was read has none.
  const done = bodies.filter((text) => text !== null)
  expect(done.length).toBeGreaterThan(10)
  expect(new Set(done).size).toBe(done.length)
  await expectNothingLeft()
})

test('Ctrl-C removes what the run made, and says so with its exit code', async () => {
  const child = execa(process.execPath, [bin, 'parity', 'run', '--against', 'staging', '--rate', '50', '--yes'], {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    reject: false,
  })
  await vi.waitUntil(async () => (await collectionsThere()).length > 0, patiently)
  child.kill('SIGINT')
  const { exitCode, stdout } = await child

  expect(exitCode).toBe(130)
  expect(stdout).toContain('Stopped early: You stopped the run.')
  await expectNothingLeft()
})

test('a spent budget leaves cases "not tried", and the score is never shown without the coverage', async () => {
  const { stdout } = await world.svc(['parity', 'run', ...fast, '--max-calls', '60'])

  const [run = ''] = readdirSync(join(world.folder, '.svc', 'parity'))
  const report: ParityReport = JSON.parse(
    readFileSync(join(world.folder, '.svc', 'parity', run, 'report.json'), 'utf8'),
  )
  expect(report.score).toBe(1)
  expect(report.coverage).toBeLessThan(0.2)
  expect(report.calls).toBeLessThanOrEqual(60)
  expect(report.cases.at(-1)).toMatchObject({ result: 'not tried', why: 'The budget of calls was spent.' })
  expect(stdout).toMatch(/100% the same, \d+(\.\d)?% of the cases compared/)
  await expectNothingLeft()
})

test('--read-only sends nothing but GET, and makes nothing', async () => {
  const report = await prove('--read-only')

  const { requests } = await controlOf(there).requests.list({ project: there.projectId, limit: 1_000 })
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([])
  expect(report.cases.some(({ result }) => result === 'same')).toBe(true)
  expect(report.cases.some(({ result }) => result === 'not tried')).toBe(true)
  expect(await collectionsThere()).toEqual([])
})

test('nothing is sent without a yes', async () => {
  const { exit, stderr } = await world.svc(['parity', 'run', '--against', 'staging'])

  expect(exit).toBe(2)
  expect(stderr).toContain('Confirm it with --yes')
  expect(stderr).toMatch(/Key: profile staging\. About \d+ calls, \d+ collections and up to \d+ users\./)
  expect((await controlOf(there).requests.list({ project: there.projectId })).requests).toEqual([])
})

test('--check fails on differences that parity.lock.json does not accept', async () => {
  await speak(there, 'a, put=merge')
  const check = () => world.svc(['parity', 'run', ...fast, '--group', 'put', '--check', '--junit', 'parity.xml'])
  const accepted = (until: string): Accepted[] => {
    const why = { part: 'fields', reason: 'The app never sends PUT.', until }
    return [
      { id: 'put.other-fields', ...why },
      { id: 'put.answer', ...why },
    ]
  }
  const lock = (entries: Accepted[]) =>
    writeFileSync(join(world.folder, 'parity.lock.json'), JSON.stringify({ accepted: entries }))
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

  const open = await check()
  const junit = readFileSync(join(world.folder, 'parity.xml'), 'utf8')
  lock(accepted(inDays(30)))
  const known = await check()
  lock(accepted(inDays(-1)))
  const ended = await check()
  lock(accepted(inDays(800)))
  const tooLong = await check()

  expect(open.exit).toBe(10)
  expect(junit).toContain('failures="2"')
  expect(junit).toMatch(/\d% the same, \d+(\.\d)?% of the cases compared/)
  expect(known).toMatchObject({ exit: 0, stdout: expect.stringContaining('The app never sends PUT.') })
  expect(ended.exit).toBe(10)
  expect(tooLong).toMatchObject({ exit: 5, stderr: expect.stringContaining('Use a date within a year.') })
})

test('cases of the folder run too, and may only write to the collection of the run', async () => {
  await speak(there, 'a, list=array')
  const steps = [{ method: 'POST', path: '/collections', body: { name: '{fresh}' } }]
  const read = { method: 'GET', path: '/collections/{fresh}/documents' }
  await execa('mkdir', [join(world.folder, 'parity')])
  const save = (cases: object[]) => writeFileSync(join(world.folder, 'parity', 'mine.json'), JSON.stringify(cases))
  save([{ id: 'mine.empty', steps: [...steps, read], compare: ['list'] }])

  const { findings } = await prove('--group', 'yours')
  save([{ id: 'mine.bad', steps: [{ method: 'DELETE', path: '/collections/posts' }], compare: ['status'] }])
  const stray = await world.svc(['parity', 'run', ...fast])

  expect(findings).toMatchObject([{ id: 'mine.empty', mendedBy: 'list=array' }])
  expect(stray).toMatchObject({ exit: 5, stderr: expect.stringContaining('"mine.bad" writes to /collections/posts') })
})

test('--from-requests sends what the app sent with other values, and counts the requests that use what differs', async () => {
  await speak(there, 'a, put=merge')
  const app = createClient({ url: here.url, apiKey: here.secretKey })
  await app.collections.create({ name: 'people' })
  const { id } = await app.collection('people').create({ name: 'Ada Lovelace', age: 36 })
  await app.collection('people').replace(id, { name: 'Ada Lovelace' })
  await app.collection('people').replace(id, { name: 'Ada Byron' })
  await app.collection('people').list({ where: { name: 'Ada Byron' } })

  const report = await prove('--group', 'put', '--from-requests')

  const [own] = report.findings.filter(({ axis }) => axis === 'app')
  const text = JSON.stringify(report)
  expect(own).toMatchObject({ part: 'fields', mendedBy: 'put=merge', uses: [{ method: 'PUT', requests: 2 }] })
  expect(report.findings.find(({ id }) => id === 'put.answer')?.uses).toMatchObject([{ method: 'PUT', requests: 2 }])
  expect(report.requests?.tried).toBeGreaterThan(3)
  expect(text).not.toMatch(/Lovelace|Byron/)
  await expectNothingLeft()
})

test('the report of an own case has only the steps that the difference takes', async () => {
  await speak(there, 'a, list=array')
  const steps = [{ method: 'POST', path: '/collections', body: { name: '{fresh}' } }]
  const idle = { method: 'GET', path: '/auth-collections/users?limit=1' }
  const read = { method: 'GET', path: '/collections/{fresh}/documents' }
  await execa('mkdir', [join(world.folder, 'parity')])
  const mine = [{ id: 'mine.long', steps: [...steps, idle, idle, read], compare: ['list'] }]
  writeFileSync(join(world.folder, 'parity', 'mine.json'), JSON.stringify(mine))

  const { findings } = await prove('--group', 'yours')

  expect(findings[0]?.exchanges.there.map(({ request }) => /-X (\w+)/.exec(request)?.[1])).toEqual(['POST', 'GET'])
})

test('a report holds no key, no token and no address', async () => {
  await speak(there, 'b')

  await prove('--group', 'document,session,accounts', '--html', 'report.html')

  const [run = ''] = readdirSync(join(world.folder, '.svc', 'parity'))
  const texts = ['report.html', join('.svc', 'parity', run, 'report.json')].map((name) =>
    readFileSync(join(world.folder, name), 'utf8').replaceAll(/user parity\+[^"]*/g, ''),
  )
  for (const text of texts) {
    expect(text).toContain('curl')
    expect(text).not.toContain(there.secretKey)
    expect(text).not.toMatch(/ey[\w-]{20,}\.|parity\+|svc_secret_\w{4}|Correct4Horse/)
  }
})

describe('a service that stops the run', () => {
  const users = { users: [], total: 0, limit: 20, offset: 0 }

  test.each<[what: string, answer: FakeAnswer, exit: number, words: string]>([
    ['a bad key', { status: 401, body: {} }, 3, 'refused the key with 401'],
    [
      'a redirect',
      { status: 302, headers: { location: 'https://elsewhere.example/' } },
      7,
      'The key was not sent there',
    ],
    ['429 without retry-after', { status: 429, body: {} }, 6, 'does not say when to try again'],
    ['429 for an hour', { status: 429, headers: { 'retry-after': '3600' }, body: {} }, 6, 'asks to wait 3600 seconds'],
  ])('%s', async (_, answer, exit, words) => {
    const fake = await openFakeService(() => answer)

    const ran = await world.svc(['parity', 'run', '--url', fake.url, '--key', 'svc_key_x', '--yes'])

    fake.close()
    expect(ran).toMatchObject({ exit, stderr: expect.stringContaining(words) })
    expect(fake.asked.filter(({ path }) => !path.startsWith('/_svc/'))).toHaveLength(1)
  })

  test('a 429 in the middle keeps what was found', async () => {
    let asked = 0
    const fake = await openFakeService(({ path }) => {
      if (path.startsWith('/auth-collections/users') && asked++ > 1) return { status: 429, body: {} }
      return { body: path.startsWith('/auth-collections') ? users : [] }
    })

    const ran = await world.svc(['parity', 'run', '--url', fake.url, '--key', 'svc_key_x', '--yes', '--read-only'])

    fake.close()
    expect(ran).toMatchObject({
      exit: 6,
      stdout: expect.stringContaining('Stopped early: The service limits requests'),
    })
    expect(ran.stdout).toContain('of the cases compared')
  })
})

test('parity clean and apply name a run that is not there', async () => {
  const clean = await world.svc(['parity', 'clean', 'nothing1', '--yes'])
  const apply = await world.svc(['parity', 'apply'])

  expect(clean).toMatchObject({ exit: 4, stderr: expect.stringContaining('No parity run "nothing1"') })
  expect(apply).toMatchObject({ exit: 4, stderr: expect.stringContaining('There is no parity run yet') })
})
