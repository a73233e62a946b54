import { type Scenario, scenario } from './scenario.js'
import type { Fields, World } from './world.js'

const posts = '/collections/posts'

async function prepared(world: World, ...many: Fields[]): Promise<string[]> {
  await world.do('POST', '/collections', { name: 'posts' })
  const ids: string[] = []
  for (const fields of many) ids.push((await world.do('POST', posts, fields)).id)
  return ids
}

/** The fields of all documents, the oldest first. */
async function look(world: World): Promise<unknown> {
  const { documents } = await world.do('GET', `${posts}?limit=100&orderBy=createdAt`)
  return documents.map(({ data }: Fields) => data)
}

const [one, two, three] = [{ n: 1 }, { n: 2 }, { n: 3 }]

export const documentScenarios: readonly Scenario[] = [
  scenario({
    name: 'create',
    prepare: (world) => prepared(world, one),
    act: (world) => world.ask('POST', posts, two),
    look,
    after: [one, two],
  }),
  scenario({
    name: 'create with an idempotency key',
    prepare: (world) => prepared(world),
    act: (world) => world.ask('POST', posts, one, { 'idempotency-key': 'once' }),
    look,
    after: [one],
  }),
  scenario({
    name: 'create a batch',
    prepare: (world) => prepared(world),
    act: (world) => world.ask('POST', `${posts}/batch`, { documents: [one, two, three] }),
    look,
    after: [one, two, three],
  }),
  scenario({
    name: 'patch',
    prepare: (world) => prepared(world, { ...one, kept: true }),
    act: (world, [id]) => world.ask('PATCH', `${posts}/${id}`, two),
    look,
    after: [{ ...two, kept: true }],
  }),
  scenario({
    name: 'append',
    prepare: (world) => prepared(world, { tags: ['a'] }),
    act: (world, [id]) => world.ask('PATCH', `${posts}/${id}`, { $append: { tags: 'b' } }),
    look,
    after: [{ tags: ['a', 'b'] }],
  }),
  scenario({
    name: 'replace',
    prepare: (world) => prepared(world, { ...one, gone: true }),
    act: (world, [id]) => world.ask('PUT', `${posts}/${id}`, two),
    look,
    after: [two],
  }),
  scenario({
    name: 'update a batch',
    prepare: (world) => prepared(world, one, two),
    act: (world, [first = '', second = '']) =>
      world.ask('POST', `${posts}/batch/documents/update`, {
        updates: { [first]: { data: three }, [second]: { data: three } },
      }),
    look,
    after: [three, three],
  }),
  scenario({
    name: 'delete',
    prepare: (world) => prepared(world, one, two),
    act: (world, [id]) => world.ask('DELETE', `${posts}/${id}`),
    look,
    after: [two],
  }),
  scenario({
    name: 'delete a batch',
    prepare: (world) => prepared(world, one, two, three),
    act: (world, ids) => world.ask('POST', `${posts}/batch-delete`, { document_ids: ids.slice(1) }),
    look,
    after: [one],
  }),
]
