/** Flags of changes that take something away, or keep what is not named. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
})
afterAll(() => world.close())

test('svc collections schema --keep leaves the fields that are not named as they are, and --clear takes all away', async () => {
  await world.svc(['collections', 'create', 'posts'])
  const schema = ['collections', 'schema', 'posts']

  await world.svc([...schema, '--field', 'title:string!', '--field', 'views:integer'])
  const kept = await world.json([...schema, '--keep', '--field', 'views:number', '--field', 'draft:boolean'])
  const replaced = await world.json([...schema, '--field', 'views:integer'])
  const cleared = await world.json([...schema, '--clear'])

  const title = { type: 'string', required: true }
  expect(kept).toEqual({ title, views: { type: 'number' }, draft: { type: 'boolean' } })
  expect(replaced).toEqual({ views: { type: 'integer' } })
  expect([cleared, await world.json(schema)]).toEqual([{}, {}])
})

test('svc users update --no-roles takes roles away, and --verified says whether an address is', async () => {
  const ada = 'ada@example.com'
  await world.svc(['users', 'signup', ada, '--password', 'Correct4Horse'])
  const update = (...words: string[]) => world.json(['users', 'update', ada, ...words])

  expect(await update('--role', 'editor', '--role', 'admin')).toMatchObject({ roles: ['editor', 'admin'] })
  expect(await update('--verified')).toMatchObject({ roles: ['editor', 'admin'], emailVerified: true })
  expect(await update('--no-roles')).toMatchObject({ roles: [], emailVerified: true })
  expect(await update('--no-verified')).toMatchObject({ roles: [], emailVerified: false })
})

test('svc docs update --remove takes items out of arrays, by their values', async () => {
  await world.svc(['collections', 'create', 'notes'])
  const fields = ['tags:=["news","tech","old"]', 'scores:=[1,2,3]']
  const { id } = (await world.json(['docs', 'create', 'notes', ...fields])) as { id: string }

  const words = ['--remove', 'tags=news', '--remove', 'tags=old', '--remove', 'scores:=2']

  expect(await world.json(['docs', 'update', 'notes', id, ...words])).toMatchObject({
    data: { tags: ['tech'], scores: [1, 3] },
  })
})

interface Audited {
  readonly entries: readonly { readonly id: number; readonly operation: string }[]
  readonly next: number | null
}

test('svc audit list lists one operation, so many entries, and those before one', async () => {
  for (const name of ['one', 'two', 'three']) await world.svc(['collections', 'create', name])
  const list = (...words: string[]) => world.json(['audit', 'list', ...words]) as Promise<Audited>
  const all = (await list()).entries

  const two = await list('--limit', '2')
  const others = await list('--before', String(two.next))
  const created = await list('--operation', 'project.created')

  expect(two.entries).toEqual(all.slice(0, 2))
  expect(others.entries).toEqual(all.slice(2))
  expect(created.entries.map(({ operation }) => operation)).toEqual(['project.created'])
  expect(all.length).toBeGreaterThan(3)
})
