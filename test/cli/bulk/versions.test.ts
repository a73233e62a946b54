/** `--if-version`: a change of a document only where it is still at the version that was read. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../command-line.js'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts'])
})
afterAll(() => world.close())

async function aDocument(): Promise<string> {
  const { id } = (await world.json(['docs', 'create', 'posts', 'title=first'])) as { id: string }
  await world.svc(['docs', 'update', 'posts', id, 'title=second'])
  return id
}

test.each(['update', 'replace'])(
  'svc docs %s --if-version overwrites nothing that was changed meanwhile',
  async (verb) => {
    const id = await aDocument()

    const late = await world.svc(['docs', verb, 'posts', id, 'title=late', '--if-version', '1'])
    const kept = await world.json(['docs', 'get', 'posts', id])
    const inTime = await world.svc(['docs', verb, 'posts', id, 'title=in time', '--if-version', '2'])

    expect(late).toMatchObject({ exit: 5, stderr: expect.stringContaining('has changed: it is now at version 2') })
    expect(kept).toMatchObject({ data: { title: 'second' } })
    expect(inTime.exit).toBe(0)
    expect(await world.json(['docs', 'get', 'posts', id])).toMatchObject({ data: { title: 'in time' } })
  },
)

test('svc docs update --if-version is refused for documents that conditions match, whose versions differ', async () => {
  await aDocument()

  const refused = await world.svc([
    'docs',
    'update',
    'posts',
    'title=x',
    '--where',
    'title=second',
    '--if-version',
    '2',
  ])

  expect(refused.exit).toBe(2)
})
