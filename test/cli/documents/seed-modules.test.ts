/** Seeds that are code, and seeds that replace existing data. */
import { expect, test } from 'vitest'
import { openWorld } from '../command-line.js'
import { seedWorld } from './seed-world.js'

const seeds = seedWorld()
const { file, fields } = seeds

test('a module exports a seed, or a function that gets a client and made-up data', async () => {
  const [posts, tags] = [`${seeds.own}posts`, `${seeds.own}tags`]
  const typed = file(
    `seeds/${posts}.ts`,
    `interface Post { title: string; at: Date }
     const posts: Post[] = [{ title: 'Hello', at: new Date(0) }]
     export default posts`,
  )
  const made = file(
    `seeds/${seeds.own}made.mts`,
    `export default async ({ client, faker }) => {
       const [{ data }] = (await client.collection('${posts}').list()).items
       return { collections: { '${tags}': { documents: [{ name: faker.person.fullName(), of: data.title }] } } }
     }`,
  )

  const planted = await seeds.world.json(['seed', typed, made])
  const [tag] = await fields(tags)
  const again = await seeds.world.json(['seed', made, '--replace', '--yes'])

  expect(planted).toMatchObject([
    { file: typed, collection: posts, created: 1 },
    { file: made, collection: tags, created: 1 },
  ])
  expect(await fields(posts)).toEqual([{ title: 'Hello', at: '1970-01-01T00:00:00.000Z' }])
  expect(tag).toMatchObject({ name: expect.stringMatching(/\w+ \w+/), of: 'Hello' })
  expect(again).toMatchObject([{ created: 1 }])
  expect(await fields(tags)).toEqual([tag])
})

test('no warning of Node or of a library reaches the terminal', async () => {
  const tags = `${seeds.own}quiet`
  const warning = file(
    `seeds/${tags}.ts`,
    `process.emitWarning('old', 'DeprecationWarning', 'DEP0001')
     process.emitWarning('new', 'ExperimentalWarning')
     process.emitWarning('plain')
     await new Promise((resolve) => setTimeout(resolve, 1))
     export default [{ title: 'Hello' }]`,
  )

  const { exit, stderr } = await seeds.world.svc(['seed', warning])

  expect(exit).toBe(0)
  expect(stderr).not.toMatch(/Warning|\(node:/)
})

test.each([
  ['throws', 'throw new Error("no luck")', /bad\.ts: could not be run: no luck/],
  ['exports what is no seed', 'export default { posts: [] }', /bad\.ts: "posts" is not part of a seed/],
  ['names a user without an address', 'export default { users: { ada: {} } }', /bad\.ts \(users\.ada\): .*no "email"/],
])('a module that %s is named', async (_what, code, said) => {
  const ran = await seeds.world.svc(['seed', file('seeds/bad.ts', code)])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringMatching(said) })
})

test('12.4 a module of a folder where svc was not used before is not run', async () => {
  const other = await openWorld()
  const { url, apiKey } = (await seeds.world.json(['status'])) as { url: string; apiKey: string }
  const seed = file(`../${seeds.own}elsewhere.ts`, 'console.log("ran"); export default []')

  const ran = await other.svc(['seed', `${seeds.world.folder}/${seed}`], { env: { SVC_URL: url, SVC_API_KEY: apiKey } })

  expect(ran).toMatchObject({ exit: 3, stderr: expect.stringContaining('is not trusted yet') })
  expect(ran.stdout).not.toContain('ran')
  await other.close()
})

test('--replace deletes what the seed names and nothing else, and svc undo brings it back', async () => {
  const [posts, tags] = [`${seeds.own}posts`, `${seeds.own}tags`]
  const seed = file(`${posts}.ndjson`, '{"n":1}\n{"n":2}\n')
  await seeds.world.json(['seed', seed, file(`${tags}.ndjson`, '{"t":1}\n')])
  file(`${posts}.ndjson`, '{"n":3}\n')

  const refused = await seeds.world.svc(['seed', seed, '--replace'])
  const replaced = await seeds.world.svc(['seed', seed, '--replace', '--yes'])

  expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(`Delete 2 documents of "${posts}"`) })
  const after = [await fields(posts), await fields(tags)]
  await seeds.world.json(['undo', '--yes'])

  expect(replaced).toMatchObject({ exit: 0, stderr: expect.stringMatching(/snapshot "auto-.*svc undo/) })
  expect(after).toEqual([[{ n: 3 }], [{ t: 1 }]])
  expect(await fields(posts)).toEqual([{ n: 1 }, { n: 2 }])
})

test('a bad seed that was to replace deletes nothing', async () => {
  const posts = `${seeds.own}posts`
  await seeds.world.json(['seed', file(`${posts}.ndjson`, '{"n":1}\n')])

  const ran = await seeds.world.svc(['seed', file(`${posts}.ndjson`, '{"n":2}\n{"$append":1}\n'), '--replace', '--yes'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining(`${posts}.ndjson:2: `) })
  expect(await fields(posts)).toEqual([{ n: 1 }])
})

/** A module that writes each time that it is run, and seeds a document of another collection. */
function writing(name: string, log: string, tags: string): string {
  return file(
    `seeds/${name}.ts`,
    `export default async ({ client }) => {
       await client.collection('${log}').create({ ran: true })
       return { collections: { '${tags}': { documents: [{ a: 1 }] } } }
     }`,
  )
}

test('a module that replaces is run once, after the snapshot: svc undo takes back what it wrote by itself, too', async () => {
  const [log, tags] = [`${seeds.own}log`, `${seeds.own}tags`]
  await seeds.world.json(['collections', 'create', log])

  const ran = await seeds.world.svc(['seed', writing(`${seeds.own}once`, log, tags), '--replace', '--yes'])
  const written = await fields(log)
  await seeds.world.json(['undo', '--yes'])

  expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining('Saved snapshot') })
  expect(written).toEqual([{ ran: true }])
  expect(await fields(log)).toEqual([])
})

test('a module that replaces is not run before a yes', async () => {
  const [log, tags] = [`${seeds.own}log`, `${seeds.own}tags`]
  await seeds.world.json(['collections', 'create', log])
  await seeds.world.json(['seed', file(`${tags}.ndjson`, '{"t":1}\n')])
  const seed = writing(`${seeds.own}asked`, log, tags)
  const rows = file(`${tags}.ndjson`, '{"t":2}\n')

  const unasked = await seeds.world.svc(['seed', seed, '--replace'])
  const refused = await seeds.world.terminal(['seed', rows, seed, '--replace'], [['seed again?', 'n\r']], {
    columns: 400,
  })

  expect(unasked).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`Delete everything ${seed} replaces when it runs`),
  })
  expect(refused.exit).toBe(130)
  expect(refused.stdout).toContain(
    `Delete 1 document of "${tags}" and everything ${seed} replaces when it runs, and seed again?`,
  )
  expect([await fields(log), await fields(tags)]).toEqual([[], [{ t: 1 }]])
})

test('a module that cannot replace, as another service is seeded, is not run', async () => {
  const [log, tags] = [`${seeds.own}log`, `${seeds.own}tags`]
  await seeds.world.json(['collections', 'create', log])
  const { url, apiKey } = (await seeds.world.json(['status'])) as { url: string; apiKey: string }
  const env = { SVC_URL: url.replace('127.0.0.1', 'localhost'), SVC_API_KEY: apiKey }

  const ran = await seeds.world.svc(['seed', writing(`${seeds.own}hosted`, log, tags), '--replace', '--yes'], { env })

  expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('--replace works in an emulator only') })
  expect(await fields(log)).toEqual([])
})
