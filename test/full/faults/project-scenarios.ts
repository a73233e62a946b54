import { fileOf, formOf, textOf } from '../../fixtures/requests/form.js'
import { type Scenario, scenario } from './scenario.js'
import { aCover, aPerson, type Fields, type World } from './world.js'

const control = ({ project }: World, path: string) => `/_svc/api/projects/${project}${path}`

async function prepared(world: World): Promise<void> {
  await world.do('POST', '/collections', { name: 'posts' })
  await world.do('POST', '/collections/posts', aCover('one', { n: 1 }))
  await world.do('POST', '/collections/posts', { n: 2 })
}

/** Names of collections with their documents, users, files, and what is counted of each. */
async function look(world: World): Promise<unknown> {
  const collections: Record<string, unknown> = {}
  for (const { name } of (await world.do('GET', '/collections')) as Fields[]) {
    const { documents, total } = await world.do('GET', `/collections/${name}/documents?limit=100&orderBy=n`)
    const { document_count: counted } = await world.do('GET', `/api/collections/${name}`)
    collections[name] = { numbers: documents.map(({ data }: Fields) => data.n), total, counted }
  }
  const { files } = await world.do('GET', '/storage/info')
  return { collections, files, users: (await world.do('GET', '/auth-collections/users')).total }
}

const holding = (...numbers: number[]) => ({ numbers, total: numbers.length, counted: numbers.length })
const empty = { collections: {}, files: 0, users: 0 }

/** Runs it as a command does that saves a snapshot first, so that it can be undone. */
async function command(world: World, name: string, work: () => Promise<unknown>): Promise<void> {
  const saved = await world.do('POST', control(world, '/snapshots'), { automatic: true, command: name })
  await work()
  await world.do('POST', control(world, `/snapshots/${saved.name}/finish`))
}

function aSeed(collection = 'posts') {
  const cover = `\${files.cover.url}`
  const steps = [
    { step: 'file', name: 'cover', part: 'cover', path: '', isOwned: true },
    { step: 'user', name: 'ada', email: aPerson().email },
    { step: 'collection', name: collection },
    {
      step: 'documents',
      documents: [{ data: { n: 1, cover }, hasReferences: true, files: ['cover'] }, { data: { n: 2 } }],
    },
  ]
  const lines = steps.map((step) => JSON.stringify(step)).join('\n')
  return formOf(textOf('mode', 'fill'), fileOf('steps', lines, 'steps.ndjson'), fileOf('cover', 'one'))
}

export const projectScenarios: readonly Scenario[] = [
  scenario({
    name: 'create a collection',
    prepare: async () => undefined,
    act: (world) => world.ask('POST', '/collections', { name: 'posts' }),
    look,
    after: { ...empty, collections: { posts: holding() } },
  }),
  scenario({
    name: 'rename a collection',
    prepare: prepared,
    act: (world) => world.ask('PATCH', '/collections/posts', { name: 'articles' }),
    look,
    after: { ...empty, collections: { articles: holding(1, 2) }, files: 1 },
  }),
  scenario({
    name: 'drop a collection',
    prepare: prepared,
    act: (world) => world.ask('DELETE', '/collections/posts'),
    look,
    after: empty,
  }),
  scenario({
    name: 'reset a project',
    skipsChanges: true,
    prepare: prepared,
    act: (world) => world.ask('POST', control(world, '/reset'), {}),
    look,
    after: empty,
  }),
  scenario({
    name: 'save a snapshot',
    prepare: prepared,
    act: (world) => world.ask('POST', control(world, '/snapshots'), { name: 'full' }),
    look: async (world) =>
      (await world.do('GET', control(world, '/snapshots'))).snapshots.map(({ name, documents, files }: Fields) => [
        name,
        documents,
        files,
      ]),
    after: [['full', 2, 1]],
  }),
  scenario({
    name: 'load a snapshot',
    skipsChanges: true,
    async prepare(world) {
      await prepared(world)
      await world.do('POST', control(world, '/snapshots'), { name: 'full' })
      await world.do('DELETE', '/collections/posts')
      await world.do('POST', '/collections', { name: 'notes' })
      await world.do('POST', '/collections/notes', aCover('two', { n: 3 }))
    },
    act: (world) => world.ask('POST', control(world, '/snapshots/full/load'), {}),
    look,
    after: { ...empty, collections: { posts: holding(1, 2) }, files: 1 },
  }),
  scenario({
    name: 'undo',
    skipsChanges: true,
    async prepare(world) {
      await prepared(world)
      await command(world, 'collections delete', () => world.do('DELETE', '/collections/posts'))
    },
    act: (world) => world.ask('POST', control(world, '/undo'), {}),
    look,
    after: { ...empty, collections: { posts: holding(1, 2) }, files: 1 },
  }),
  scenario({
    name: 'undo of a seed',
    isSlow: true,
    skipsChanges: true,
    async prepare(world) {
      await prepared(world)
      await command(world, 'seed', () => world.do('POST', control(world, '/seeds'), aSeed('notes')))
    },
    act: (world) => world.ask('POST', control(world, '/undo'), {}),
    look,
    after: { ...empty, collections: { posts: holding(1, 2) }, files: 1 },
  }),
  scenario({
    name: 'seed',
    storesFiles: true,
    skipsChanges: true,
    prepare: async () => undefined,
    act: (world) => world.ask('POST', control(world, '/seeds'), aSeed()),
    look,
    after: { collections: { posts: holding(1, 2) }, files: 1, users: 1 },
  }),
]
