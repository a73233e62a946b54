import { expect, onTestFinished, test } from 'vitest'
import { openHoldingProxy } from '../../fixtures/proxies/holding-proxy.js'
import { seedWorld } from './seed-world.js'

const seeds = seedWorld()
const { file, fields } = seeds

test('a document without a key whose fields were changed in the file is changed, and not created once more', async () => {
  const name = `${seeds.own}renamed`
  const content = (documents: unknown) => JSON.stringify({ collections: { [name]: { documents } } })
  const seed = file(`${name}.json`, content([{ title: 'Hello' }, { title: 'World' }]))
  await seeds.world.svc(['seed', seed])
  file(`${name}.json`, content([{ title: 'New' }, { title: 'Hello' }, { title: 'Whole world', views: 1 }]))

  const moved = await seeds.world.json(['seed', seed, '--upsert'])
  file(`${name}.json`, content([{ title: 'New' }, { title: 'Hello' }, { title: 'Wide world', views: 1 }]))
  const changed = await seeds.world.json(['seed', seed, '--upsert'])

  expect(moved).toMatchObject([{ created: 2, updated: 1 }])
  expect(changed).toMatchObject([{ created: 0, updated: 3 }])
  expect((await fields(name)).map(({ title }) => title)).toEqual(['Hello', 'World', 'New', 'Wide world'])
})

test('a named document without a key stays the same one whatever its fields become', async () => {
  const name = `${seeds.own}named`
  const content = (ada: unknown) => JSON.stringify({ collections: { [name]: { documents: { ada, bob: { n: 'B' } } } } })
  const seed = file(`${name}.json`, content({ n: 'Ada' }))
  await seeds.world.svc(['seed', seed])
  file(`${name}.json`, content({ n: 'Ada Lovelace' }))

  const planted = await seeds.world.json(['seed', seed, '--upsert'])

  expect(planted).toMatchObject([{ created: 0, updated: 2 }])
  expect(await fields(name)).toEqual([{ n: 'Ada Lovelace' }, { n: 'B' }])
})

test('--upsert keeps a schema that the file does not mention', async () => {
  const name = `${seeds.own}kept`
  const seed = file(`${name}.json`, JSON.stringify({ collections: { [name]: { documents: [{ title: 'Hello' }] } } }))
  await seeds.world.svc(['collections', 'create', name, '--field', 'title:string!'])

  await seeds.world.svc(['seed', seed, '--upsert'])

  expect(await seeds.world.json(['collections', 'schema', name])).toEqual({ title: { type: 'string', required: true } })
})

test.each([
  [
    'in the file',
    (name: string) => `{"collections":{"${name}":{"key":"email","documents":[{"email":"a@x.org"},\n{}]}}}`,
  ],
  ['by --by', (name: string) => `{"collections":{"${name}":{"documents":[{"email":"a@x.org"},\n{"email":null}]}}}`],
])('a document without the key that was named %s is refused before anything is created', async (_where, content) => {
  const name = `${seeds.own}keyed`
  const seed = file(`${name}.json`, content(name))

  const ran = await seeds.world.svc(['seed', seed, '--upsert', '--by', 'email'])

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining(`${name}.json:2: "${name}.1" needs a string`) })
  expect(await seeds.world.json(['docs', 'count', name])).toMatchObject({ error: { code: 'NOT_FOUND' } })
})

test('a row without the field of --by is refused, and not created again by each seed', async () => {
  const name = `${seeds.own}rows`
  const seed = file(`${name}.csv`, 'email,name\na@x.org,Ada\n,Nobody\n')

  const first = await seeds.world.svc(['seed', seed, '--upsert', '--by', 'email'])
  const again = await seeds.world.svc(['seed', seed, '--upsert', '--by', 'email'])

  for (const ran of [first, again]) {
    expect(ran).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining(`${name}.csv:3: needs a string, number or boolean in its key field "email"`),
    })
  }
  expect(await seeds.world.json(['docs', 'count', name])).toMatchObject({ error: { code: 'NOT_FOUND' } })
})

test('--upsert of a file of documents goes by the field of --by', async () => {
  const name = `${seeds.own}people`
  await seeds.world.svc(['seed', file(`${name}.csv`, 'email,name\na@x.org,Ada\nb@x.org,Bob\n')])

  const planted = await seeds.world.json([
    'seed',
    file(`${name}.csv`, 'email,name\nb@x.org,Bobby\nc@x.org,Cyd\n'),
    '--upsert',
    '--by',
    'email',
  ])
  const withoutKey = await seeds.world.svc(['seed', `${name}.csv`, '--upsert'])

  expect(planted).toMatchObject([{ created: 1, updated: 1, kept: 0 }])
  expect((await fields(name)).map((one) => one.name)).toEqual(['Ada', 'Bobby', 'Cyd'])
  expect(withoutKey).toMatchObject({ exit: 2, stderr: expect.stringContaining('--by email') })
})

const targets = ['an emulator', 'a hosted service']

/** Behind another address, the emulator is any service to the command. */
async function envOf(target: string): Promise<Record<string, string>> {
  if (target === 'an emulator') return {}
  const proxy = await openHoldingProxy(seeds.dev.url, Number.POSITIVE_INFINITY)
  onTestFinished(() => proxy.close())
  return { SVC_URL: proxy.url, SVC_API_KEY: seeds.dev.apiKey }
}

/** A collection that was not created. */
const none = { error: { code: 'NOT_FOUND' } }

test.each(targets)(
  '--upsert of several files into %s, one of which lacks its key, writes none of them',
  async (target) => {
    const [name, rows] = [`${seeds.own}first`, `${seeds.own}people`]
    file(`${name}.json`, `{"collections":{"${name}":{"documents":[{"n":1}]}}}`)
    file(`${rows}.csv`, 'email,name\na@x.org,Ada\n')

    const ran = await seeds.world.svc(['seed', `${name}.json`, `${rows}.csv`, '--upsert'], { env: await envOf(target) })

    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining(`a document of "${rows}.csv"`) })
    for (const one of [name, rows]) expect(await seeds.world.json(['docs', 'count', one])).toMatchObject(none)
  },
)

test('of several files into a hosted service, one of which holds users, none is written', async () => {
  const name = `${seeds.own}first`
  file(`${name}.json`, `{"collections":{"${name}":{"documents":[{"n":1}]}}}`)
  file(`${name}-users.json`, '{"users":{"ada":{"email":"ada@x.org"}}}')
  const env = await envOf('a hosted service')

  const ran = await seeds.world.svc(['seed', `${name}.json`, `${name}-users.json`], { env })

  expect(ran).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('only an emulator can be seeded with users and files'),
  })
  expect(await seeds.world.json(['docs', 'count', name])).toMatchObject(none)
})

test.each(targets)('--upsert into %s tells the keys 1, "1", true and "true" apart', async (target) => {
  const env = await envOf(target)
  const [name, rows] = [`${seeds.own}codes`, `${seeds.own}rows`]
  const codes = [1, '1', true, 'true', 1e21, '1e+21', 1e-7]
  const write = (n: number) => {
    const documents = codes.map((code) => ({ code, n }))
    file(`${name}.json`, JSON.stringify({ collections: { [name]: { key: 'code', documents } } }))
    file(`${rows}.ndjson`, documents.map((document) => JSON.stringify(document)).join('\n'))
  }
  const seed = async () => [
    await seeds.world.json(['seed', `${name}.json`, '--upsert'], { env }),
    await seeds.world.json(['seed', `${rows}.ndjson`, '--upsert', '--by', 'code'], { env }),
  ]

  write(1)
  const first = await seed()
  write(2)
  const second = await seed()

  expect(first).toMatchObject(Array(2).fill([{ created: codes.length, updated: 0 }]))
  expect(second).toMatchObject(Array(2).fill([{ created: 0, updated: codes.length }]))
  for (const collection of [name, rows]) {
    expect(await fields(collection)).toEqual(codes.map((code) => ({ code, n: 2 })))
  }
})

test.each(targets)(
  '--upsert of CSV into %s finds keys that are text there, those of the same value first',
  async (target) => {
    const env = await envOf(target)
    const name = `${seeds.own}stock`
    const there = ['"1"', '"true"', '0.1234567890123456', '"2"', '2']
    file(`${name}.ndjson`, there.map((sku) => `{"sku":${sku},"n":0}`).join('\n'))
    await seeds.world.json(['seed', `${name}.ndjson`], { env })
    file(`${name}.csv`, 'sku,n\n1,1\ntrue,2\n0.1234567890123456,3\n2,4\nnew,5\n')

    const planted = await seeds.world.json(['seed', `${name}.csv`, '--upsert', '--by', 'sku'], { env })

    expect(planted).toMatchObject([{ created: 1, updated: 4 }])
    expect(await fields(name)).toMatchObject([
      { n: 1 },
      { n: 2 },
      { n: 3 },
      { sku: '2', n: 0 },
      { sku: 2, n: 4 },
      { n: 5 },
    ])
  },
)
