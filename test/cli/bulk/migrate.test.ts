/** Documents that a function in a file changes: shown first, then written, and never over another writer's change. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Client, createClient, type Fields } from '../../../client/index.js'
import { controlOf } from '../../fixtures/events.js'
import { patiently } from '../../fixtures/patience.js'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { bin, cleanEnv, openWorld, type SharedProject, type World } from '../command-line.js'

let world: World
let svc: Client
let place: SharedProject
let count = 0

beforeAll(async () => {
  world = await openWorld()
  place = await world.useEmulator()
  svc = createClient(place)
})
afterAll(() => world.close())

/** A collection of its own with these documents; answers its name and their ids. */
async function aCollection(documents: readonly Fields[]): Promise<[name: string, ids: string[]]> {
  const name = `posts${++count}`
  await svc.collections.create({ name })
  return [name, (await svc.collection(name).createMany([...documents])).map(({ id }) => id)]
}

/** Writes a module with that function; answers its name. One of TypeScript takes twice as long to load. */
function module(body: string, name = `migration${count}.mjs`): string {
  writeFileSync(join(world.folder, name), `export default ${body}\n`)
  return name
}

async function dataOf(name: string, where = {}): Promise<Fields[]> {
  const found: Fields[] = []
  for await (const { data } of svc.collection(name).iterate({ where })) found.push(data)
  return found
}

/** The stored state of stopped migrations. */
const kept = () => readdirSync(join(world.folder, 'config', 'migrations'))

test('each document becomes what the function returns: fields change, come and go, and after undefined it stays', async () => {
  const [name] = await aCollection([
    { title: 'A', views: '3', old: true },
    { title: 'B', views: '4' },
    { title: 'C', views: 5 },
  ])
  const file = module(
    `async ({ data }: { data: any }) => {
    if (typeof data.views === 'number') return undefined
    return { ...data, views: Number(data.views), old: undefined, at: new Date(0) }
  }`,
    'typed.ts',
  )

  const report = await world.json(['docs', 'migrate', name, file, '--yes'])
  const again = await world.json(['docs', 'migrate', name, file, '--yes'])

  expect(report).toEqual({ changed: 2, refused: 0, refusals: [], before: 0 })
  expect(again).toMatchObject({ changed: 0 })
  expect(await dataOf(name)).toEqual([
    { title: 'A', views: 3, at: '1970-01-01T00:00:00.000Z' },
    { title: 'B', views: 4, at: '1970-01-01T00:00:00.000Z' },
    { title: 'C', views: 5 },
  ])
  expect(kept()).toEqual([])
})

test('a dry run shows how many would change and some differences, and writes nothing', async () => {
  const [name, ids] = await aCollection([{ n: 1 }, { n: 2 }, { n: 3, gone: 'x' }])
  const file = module('({ data: { n } }) => n > 1 ? { n: n * 10 } : undefined')

  const ran = await world.svc(['docs', 'migrate', name, file, '--dry-run'])
  const report = await world.json(['docs', 'migrate', name, file, '--dry-run', '--where', 'n__gte=3'])

  expect(ran).toMatchObject({ exit: 0, stderr: '' })
  expect(ran.stdout.trimEnd().split('\n')).toEqual([
    '2 of 3 documents would change.',
    'fields: n (2), gone (1)',
    ids[1],
    '  - n: 2',
    '  + n: 20',
    ids[2],
    '  - n: 3',
    '  + n: 30',
    '  - gone: "x"',
  ])
  expect(report).toEqual({
    ...{ documents: 1, changes: 1, fields: { n: 1, gone: 1 } },
    examples: [{ id: ids[2], before: { n: 3, gone: 'x' }, after: { n: 30 } }],
  })
  expect(await dataOf(name)).toEqual([{ n: 1 }, { n: 2 }, { n: 3, gone: 'x' }])
})

test('the differences are shown before it asks, without a terminal it needs --yes, and svc undo takes it back', async () => {
  const [name] = await aCollection([{ n: 1 }, { n: 2 }])
  const file = module('({ data }) => ({ n: data.n + 1 })')

  const refused = await world.svc(['docs', 'migrate', name, file])
  const asked = await world.terminal(['docs', 'migrate', name, file], [['Change 2 documents', 'n\r']])
  const before = await dataOf(name)
  const ran = await world.svc(['docs', 'migrate', name, file, '--yes'])
  const after = await dataOf(name)
  await world.json(['undo', '--yes'])

  expect(refused).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`Change 2 documents of "${name}" on 127.0.0.1`),
  })
  expect(asked).toMatchObject({ exit: 130, stdout: expect.stringMatching(/^ {2}- n: 1\n {2}\+ n: 2\n/m) })
  expect(before).toEqual([{ n: 1 }, { n: 2 }])
  expect(ran).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/snapshot "auto-.*svc undo(.|\n)*\nChanged 2 documents\.\n$/),
  })
  expect(after).toEqual([{ n: 2 }, { n: 3 }])
  expect(await dataOf(name)).toEqual([{ n: 1 }, { n: 2 }])
})

const wholeDocument = 'returned the whole document instead of its data for'

test.each([
  ['throws', 'if (data.n === 2) throw new Error("no luck")', 'failed with "no luck" on'],
  ['returns no object', 'if (data.n === 2) return 7', 'did not return a JSON object for'],
  ['returns the document', 'if (data.n === 2) return document', wholeDocument],
  ['spreads the document', 'if (data.n === 2) return { ...document, m: 1 }', wholeDocument],
  ['changes the data only', 'if (data.n === 2) data.n = 3', 'changed the data without returning it for'],
  ['returns an operator', 'if (data.n === 2) return { $append: {} }', 'returned the field "$append"'],
])('a function that %s is reported with the document, and nothing is written', async (_what, code, said) => {
  const [name, [, second]] = await aCollection([{ n: 1 }, { n: 2 }])
  const file = module(`(document) => { const { data } = document; ${code}; if (data.n === 1) return { n: 9 } }`)

  const ran = await world.svc(['docs', 'migrate', name, file, '--yes'])

  expect(ran.exit).toBe(5)
  expect(ran.stderr).toContain(`${file} ${said}`)
  expect(ran.stderr).toContain(`document "${second}". Nothing was written.`)
  expect(ran.stderr).toMatch(/\n {7}(Write it as: export default|See the document: svc docs get) /)
  expect(await dataOf(name)).toEqual([{ n: 1 }, { n: 2 }])
  expect(kept()).toEqual([])
})

test('a file that is missing, cannot be run or exports no function is named', async () => {
  const [name] = await aCollection([])

  const missing = await world.svc(['docs', 'migrate', name, 'nowhere.ts'])
  const broken = await world.svc(['docs', 'migrate', name, module('(() => { throw new Error("broken") })()')])
  const other = await world.svc(['docs', 'migrate', name, module('{}')])

  expect([missing.exit, broken.exit, other.exit]).toEqual([4, 5, 5])
  expect(broken.stderr).toContain('could not be run: broken')
  expect(other.stderr).toContain('has no default export that is a function')
  expect(other.stderr).toContain('Write it as: export default ({ data }) =>')
})

test('12.4 a module of a folder where svc was not used before is run at any service once it is trusted, not before', async () => {
  const other = await openWorld()
  const [name] = await aCollection([{ n: 1 }, { n: 2 }])
  const words = ['docs', 'migrate', name, join(world.folder, module('({ data: { n } }) => ({ n: -n })')), '--yes']
  const env = { SVC_URL: place.url, SVC_API_KEY: place.apiKey }

  const refused = await other.svc(words, { env })
  const before = await dataOf(name)
  const trusted = await other.svc(words, { env: { ...env, SVC_TRUST_CODE: '1' } })

  expect(refused).toMatchObject({ exit: 3, stderr: expect.stringContaining('is not trusted yet') })
  expect(before).toEqual([{ n: 1 }, { n: 2 }])
  expect(trusted).toMatchObject({ exit: 0, stderr: expect.stringMatching(/\nChanged 2 documents\.\n$/) })
  expect(trusted.stderr).not.toContain('snapshot')
  expect(await dataOf(name)).toEqual([{ n: -1 }, { n: -2 }])
  await other.close()
})

test('what somebody has changed or deleted meanwhile stays as it is, and is listed', async () => {
  const [name, ids] = await aCollection([1, 2, 3, 4, 5, 6].map((n): Fields => (n > 3 ? { n, old: 1 } : { n })))
  const [changed, touched, deleted, replaced, gone] = ids
  // The function itself is the other writer: it is called after documents were read, and before any is written.
  const file = module(`async ({ id, data: { old, ...data } }) => {
    if (data.n === 6) {
      const send = async (method, id, body) => {
        const headers = { 'x-api-key': '${place.apiKey}', 'content-type': 'application/json' }
        const at = \`${place.url}/collections/${name}/documents/\${id}\`
        const { ok } = await fetch(at, { method, headers, body: body && JSON.stringify({ data: body }) })
        if (!ok) throw new Error(method)
      }
      await send('PATCH', '${changed}', { n: 7 })
      await send('PATCH', '${touched}', { by: 'other' })
      await send('DELETE', '${deleted}')
      await send('PATCH', '${replaced}', { by: 'other' })
      await send('DELETE', '${gone}')
    }
    return { ...data, n: data.n * 10 }
  }`)

  const report = await world.json(['docs', 'migrate', name, file, '--yes'])

  const [conflict, missing] = ['was changed in the meantime', 'was deleted in the meantime']
  expect(report).toEqual({
    ...{ changed: 2, refused: 4, before: 0 },
    refusals: [
      { id: changed, code: 'CONFLICT', problem: conflict },
      { id: deleted, code: 'NOT_FOUND', problem: missing },
      { id: replaced, code: 'CONFLICT', problem: conflict },
      { id: gone, code: 'NOT_FOUND', problem: missing },
    ],
  })
  expect(await dataOf(name)).toEqual([{ n: 7 }, { n: 20, by: 'other' }, { n: 4, old: 1, by: 'other' }, { n: 60 }])
})

test('what the schema refuses is listed, and keeps no other out', async () => {
  const [name, ids] = await aCollection([{ n: 1 }, { n: 2, old: 1 }, { n: 3 }])
  await svc.collections.update(name, { schema: { n: { type: 'integer' } } })
  const file = module('({ data: { n } }) => ({ n: n === 3 ? 30 : String(n) })')

  const ran = await world.svc(['docs', 'migrate', name, file, '--yes'])

  expect(ran.exit).toBe(5)
  expect(ran.stderr).toContain(`${ids[0]}  "n" is not of type "integer"`)
  expect(ran.stderr).toContain(`${ids[1]}  "n" is not of type "integer"`)
  expect(ran.stderr).toContain('Changed 1 document, 2 refused.')
  expect(await dataOf(name)).toEqual([{ n: 1 }, { n: 2, old: 1 }, { n: 30 }])
})

test('fields are removed in a dialect whose PUT merges, too', async () => {
  const [name] = await aCollection([
    { n: 1, old: 1 },
    { n: 2, old: 1 },
  ])
  const file = module('({ data: { n } }) => ({ n })')

  const merging = await world.svc(['docs', 'migrate', name, file, '--yes', '--dialect', 'a, put=merge'])
  const unchanged = await dataOf(name)
  const report = await world.json(['docs', 'migrate', name, file, '--yes', '--dialect', 'b'])

  expect(merging).toMatchObject({ exit: 5, stderr: expect.stringContaining('the service kept "old"') })
  expect(unchanged).toEqual([
    { n: 1, old: 1 },
    { n: 2, old: 1 },
  ])
  expect(report).toMatchObject({ changed: 2, refused: 0 })
  expect(await dataOf(name)).toEqual([{ n: 1 }, { n: 2 }])
})

test('a migration that failed goes on by the same module alone; another one begins anew with --restart', async () => {
  const [name] = await aCollection([{ n: 1 }, { n: 2 }])
  const file = module('({ data: { n } }) => ({ n: n * 10 })')
  const words = ['docs', 'migrate', name, file]
  await world.json(['faults', 'add', 'status', '--status', '500', '--path', `/collections/${name}/batch/**`])
  const failed = await world.svc([...words, '--yes'])
  await controlOf(place).faults.clear({ project: place.projectId })
  module('({ data: { n } }) => ({ n: n * 100 })', file)

  const edited = await world.svc([...words, '--yes'])
  const others = await world.svc([...words, '--where', 'n=1', '--yes'])
  const shown = await world.svc([...words, '--dry-run'])
  const restarted = await world.json([...words, '--restart', '--yes'])

  expect(failed).toMatchObject({ exit: 1, stderr: expect.stringContaining('0 of 2 documents processed') })
  expect([edited.exit, others.exit]).toEqual([5, 5])
  expect(edited.stderr).toMatch(
    /"migration\d+\.mjs" or the conditions have changed .* after 0 of 2 documents\.\n.*--restart/,
  )
  expect(shown).toMatchObject({ exit: 0, stderr: expect.stringContaining('An earlier run was stopped') })
  expect(restarted).toMatchObject({ changed: 2 })
  expect(await dataOf(name)).toEqual([{ n: 100 }, { n: 200 }])
  expect(kept()).toEqual([])
})

test.each([
  ['changed', 2_000, 1, '({ data }) => ({ ...data, n: data.n * 10 })'],
  ['changed and rid of a field', 300, 100, '({ data: { old, ...data } }) => ({ ...data, n: data.n * 10 })'],
])('a migration that was killed goes on where it stopped: nothing is %s twice', async (_, documents, writes, body) => {
  const [name] = await aCollection([])
  const rows = Array.from({ length: documents }, (_, at) => ({ n: at + 1, old: true, by: name }))
  for (let at = 0; at < documents; at += 1_000) await svc.collection(name).createMany(rows.slice(at, at + 1_000))
  const file = module(body)
  const done = async () => (await svc.collection(name).count({ where: { n: { gt: documents } } })) > 0
  const proxy = await openHoldingProxy(place.url, writes, ['POST', 'PUT'])
  onTestFinished(() => proxy.close())
  const env = { SVC_URL: proxy.url, SVC_API_KEY: place.apiKey }
  const child = execa(process.execPath, [bin, 'docs', 'migrate', name, file, '--yes'], {
    ...{ cwd: world.folder, env: { ...cleanEnv(world.folder), ...env }, extendEnv: false, reject: false },
  })
  await Promise.all([proxy.held, expect.poll(done, patiently).toBe(true)])
  child.kill('SIGKILL')
  await child
  proxy.release()
  const partly = (await dataOf(name)).filter(({ n }) => Number(n) > documents).length

  const report = await world.json(['docs', 'migrate', name, file, '--yes'], { env })

  expect(partly).toBeLessThan(documents)
  expect(report).toMatchObject({ refused: 0 })
  const numbers = (await dataOf(name)).map(({ n }) => n)
  expect(numbers).toEqual(Array.from({ length: documents }, (_, at) => (at + 1) * 10))
  expect(kept()).toEqual([])
})
