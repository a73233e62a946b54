/** `svc parity` against a stand-in of the deployed service: what it finds, and what a bad line and a kill leave behind. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ParityReport } from '../../client/protocol/control/parity.js'
import { type DeployedService, openDeployedService, type Sent } from '../fixtures/deployed/deployed-service.js'
import { controlOf } from '../fixtures/events.js'
import { inFull, isFull } from '../fixtures/scope.js'
import type { SharedProject } from '../fixtures/shared-emulator.js'
import { bin, cleanEnv, openWorld, type World } from './command-line.js'

let world: World
let here: SharedProject
let there: DeployedService

beforeEach(async () => {
  world = await openWorld()
  ;[here, there] = await Promise.all([world.useEmulator(), openDeployedService()])
  await controlOf(here).projects.update({ project: here.projectId, settings: { dialect: 'd' } })
  await world.svc(['profiles', 'add', 'staging', '--url', there.url, '--key', there.key])
})
afterEach(async () => {
  there.close()
  await world.close()
})

const runWords = ['parity', 'run', '--against', 'staging', '--rate', '1000', '--yes']
const prove = async (...flags: string[]) => (await world.json([...runWords, ...flags])) as ParityReport
const group = (axes: readonly string[]) => (isFull ? [] : ['--group', axes.join(',')])

interface Golden {
  readonly id: string
  readonly level: string
  readonly part: string
  readonly here: unknown
  readonly there: unknown
  /** The setting that mends it, or null. */
  readonly mendedBy: string | null
}

const goldenFile = join(import.meta.dirname, 'golden', 'parity-deployed.json')
const golden = (): Golden[] => (existsSync(goldenFile) ? JSON.parse(readFileSync(goldenFile, 'utf8')) : [])
const axisOf = ({ id }: { readonly id: string }) => id.slice(0, id.indexOf('.'))

function expectNothingLeft(): void {
  expect(there.collections()).toEqual([])
  expect(there.users().filter((email) => !email.startsWith('parity+'))).toEqual([])
}

async function projectsHere(): Promise<string[]> {
  const names: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await controlOf(here).projects.list({ after })
    names.push(...page.projects.map(({ name }) => name))
    if (page.next === null) return names
    after = page.next
  }
}

const runs = () => {
  const folder = join(world.folder, '.svc', 'parity')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('finds the known differences of the deployed service, and no others', async () => {
  const axes = ['keys', 'select', 'bodies', 'batches', 'operators', 'limits']

  const { advice, findings, score, coverage } = await prove(...group(axes))

  const found = findings
    .map(({ id, level, part, here, there, mendedBy }): Golden => ({ id, level, part, here, there, mendedBy }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  // To record it anew, delete the file and run this test in full.
  if (isFull && !existsSync(goldenFile)) writeFileSync(goldenFile, `${JSON.stringify(found, null, 2)}\n`)
  expect(found).toEqual(golden().filter((one) => isFull || axes.includes(axisOf(one))))
  // The emulator keeps its limit of depth in every dialect.
  const unmended = findings.filter(({ axis, mendedBy }) => axes.includes(axis) && mendedBy === null)
  expect(unmended.map(({ id }) => id).sort()).toEqual(['bodies.deep'])
  expect(advice).toMatchObject({ forms: ['refusals=deployed'], breaks: [] })
  expect(score).toBeLessThan(1)
  expect(coverage).toBeGreaterThan(0.9)
  expectNothingLeft()
})

test('a setting that makes as many cases differ as it mends is not advised', async () => {
  const { advice, findings } = await prove('--group', 'populate,links')

  expect(findings.map(({ id }) => id)).toContain('populate.by-id-field')
  expect(advice).toBeNull()
})

/** Facts that no setting copies. `facts.ts` gives the reasons. */
const withoutSwitch = ['document.created', 'links.filter-by-field', 'two_factor.login']

// Sections 2 and 14 of the notes about the deployed service.
test.each([
  ['the key is missing', 'keys.missing'],
  ['the key is wrong', 'keys.wrong'],
  ['created_at has no zone', 'document.created'],
  ['$append in a document', 'operators.append-beside-data'],
  ['$remove in a document', 'operators.remove'],
  ['$append in the data of a user', 'accounts.append-inside-data'],
  ['_icontains', 'filters.double-icontains'],
  ['an unknown suffix', 'filters.double-unknown-word'],
  ['ne does not match a missing field', 'filters.double-ne'],
  ['notin does not match a missing field', 'filters.double-notin'],
  ['a dotted filter without a target', 'filters.double-nested'],
  ['an email that is taken', 'accounts.email-taken'],
  ['a weak password', 'accounts.password-weak'],
  ['a wrong password', 'accounts.password-wrong'],
  ['an unknown email', 'accounts.email-unknown'],
  ['a replaced file', 'files.replaced-is-gone'],
  ['the file of a deleted document', 'files.gone-with-its-document'],
  ['an upload without the key', 'accounts.upload-without-key'],
  ['no event of a delete', 'realtime.deleted'],
  ['a link in the field itself', 'links.filter-by-field'],
  ['filters of a subscription', 'realtime.filtered'],
  ['select', 'select.title'],
  ['second factor', 'two_factor.login'],
  ['a bad token beside a key', 'rights.bad-token-beside-key'],
  ['a limit of 0', 'limits.limit-zero'],
  ['a limit above 500', 'limits.limit-too-large'],
  ['an empty create', 'bodies.empty'],
  ['an empty update', 'bodies.update-with-nothing'],
  ['unknown ids in a batch', 'batches.update-unknown-id'],
  ['PUT', 'routes.put'],
  ['numbers sort as text', 'sorting.sort-asc'],
  ['a suffix holds for the last field only', 'filters.double-or-starts'],
])('the golden report has: %s', (_, id) => {
  const mendedBy = withoutSwitch.includes(id) ? null : 'refusals=deployed'

  expect(golden()).toContainEqual(expect.objectContaining({ id, mendedBy }))
})

describe('over a bad line with a limit', () => {
  test.each([
    ['at once', { calls: 40, seconds: 1 }, group(['writes', 'keys'])],
    ...inFull([['in 40 a minute', { calls: 40, seconds: 60 }, ['--group', 'writes,keys']] as const]),
  ] as const)('%s, there is no false difference, no POST goes twice, and nothing stays', async (_, limit, flags) => {
    there.trouble({ flaky: { rate: 0.25, seed: 7 }, limit })

    const { findings, cases, left, stopped } = await prove('--max-calls', '5000', ...flags)

    const known = golden().map(({ id }) => id)
    const missed = cases.filter(({ id, result }) => known.includes(id) && result === 'same')
    const posts = there.sent.filter(({ method }) => method === 'POST')
    const same = ({ path, body, token }: Sent, one: Sent) =>
      path === one.path && body === one.body && token === one.token
    const repeated = posts.filter((one, at) =>
      posts.slice(0, at).some((other) => other.wasDisturbed && same(other, one)),
    )
    expect(stopped).toBeNull()
    expect(posts.filter(({ wasDisturbed }) => wasDisturbed).length).toBeGreaterThan(2)
    expect(findings.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual([])
    expect(missed).toEqual([])
    expect(repeated).toEqual([])
    expect(there.users().filter((email) => !left.includes(`user ${email}`))).toEqual([])
    expectNothingLeft()
  })
})

/** Numbers of the calls during which the run is killed. */
const kills = isFull ? Array.from({ length: 38 }, (_, at) => at + 1) : [3, 14]

test.each(kills)('a run that is killed during call %i leaves nothing that clean does not remove', async (number) => {
  const child = execa(process.execPath, [bin, ...runWords, '--group', 'writes,session'], {
    cwd: world.folder,
    env: cleanEnv(world.folder),
    extendEnv: false,
    reject: false,
  })
  there.trouble({ onCall: (call) => call === number && child.kill('SIGKILL') })
  const { signal } = await child
  there.trouble({})
  const [run = ''] = runs()
  const told = await world.svc(['parity', 'run', '--against', 'staging', '--group', 'keys', '--read-only'])

  const unconfirmed = await world.svc(['parity', 'clean', run])
  const cleaned = await world.svc(['parity', 'clean', run, '--yes'])

  expect(signal).toBe('SIGKILL')
  if (there.collections().length > 0) expect(told.stderr).toContain(`Remove it: svc parity clean ${run}`)
  expect(unconfirmed).toMatchObject({ exit: 2, stderr: expect.stringContaining('Cannot ask without a terminal.') })
  expect(cleaned.exit).toBe(0)
  expectNothingLeft()
  expect((await projectsHere()).filter((name) => name === `parity ${run}`)).toEqual([])
})
