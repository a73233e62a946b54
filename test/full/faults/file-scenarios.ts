import { fileOf, formOf } from '../../fixtures/requests/form.js'
import { send } from '../../fixtures/requests/http.js'
import { type Scenario, scenario } from './scenario.js'
import { aCover, type Fields, type World } from './world.js'

const posts = '/collections/posts'

async function prepared(world: World, ...covers: string[]): Promise<string[]> {
  await world.do('POST', '/collections', { name: 'posts' })
  const ids: string[] = []
  for (const cover of covers) ids.push((await world.do('POST', posts, aCover(cover))).id)
  return ids
}

/** The text at an address. */
async function read(world: World, address: string): Promise<string> {
  const { status, text } = await send(world.service.url, { method: 'GET', path: new URL(address).pathname })
  return status === 200 ? text : `${status}`
}

/** The texts of all files: by the documents that have them, by the list of files, and how many are counted. */
async function look(world: World): Promise<unknown> {
  const { documents } = await world.do('GET', `${posts}?limit=100&orderBy=createdAt`)
  const { files } = await world.do('GET', '/storage/list?limit=100')
  const texts = (all: string[]) => Promise.all(all.map((address) => read(world, address)))
  return {
    documents: await texts(documents.map(({ data }: Fields) => data.cover)),
    files: (await texts(files.map(({ url }: Fields) => url))).sort(),
    counted: (await world.do('GET', '/storage/info')).files,
  }
}

/** The expected state, with files of documents and files without one. */
const seen = (documents: string[], alone: string[] = []) => ({
  documents,
  files: [...documents, ...alone].sort(),
  counted: documents.length + alone.length,
})

export const fileScenarios: readonly Scenario[] = [
  scenario({
    name: 'upload',
    storesFiles: true,
    prepare: (world) => prepared(world),
    act: (world) => world.ask('POST', '/storage/upload', formOf(fileOf('file', 'one'))),
    look,
    after: seen([], ['one']),
  }),
  scenario({
    name: 'delete a file',
    async prepare(world) {
      await prepared(world)
      return (await world.do('POST', '/storage/upload', formOf(fileOf('file', 'one')))).id as string
    },
    act: (world, id) => world.ask('DELETE', `/storage/file/${id}`),
    look,
    after: seen([]),
  }),
  scenario({
    name: 'create with a file',
    storesFiles: true,
    prepare: (world) => prepared(world, 'one'),
    act: (world) => world.ask('POST', posts, aCover('two')),
    look,
    after: seen(['one', 'two']),
  }),
  scenario({
    name: 'create with a file and an idempotency key',
    storesFiles: true,
    prepare: (world) => prepared(world),
    act: (world) => world.ask('POST', posts, aCover('one'), { 'idempotency-key': 'once' }),
    look,
    after: seen(['one']),
  }),
  scenario({
    name: 'replace a file',
    storesFiles: true,
    prepare: (world) => prepared(world, 'one'),
    act: (world, [id]) => world.ask('PATCH', `${posts}/${id}`, aCover('two')),
    look,
    after: seen(['two']),
  }),
  scenario({
    name: 'delete a document with a file',
    prepare: (world) => prepared(world, 'one', 'two'),
    act: (world, [id]) => world.ask('DELETE', `${posts}/${id}`),
    look,
    after: seen(['two']),
  }),
]
