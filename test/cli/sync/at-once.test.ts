/** Pulls and pushes that are begun at the same time. */
import { expect, test } from 'vitest'
import { openTwoServices, staging } from './two-services.js'

test('of two pulls at once nothing is there twice: the second is refused, and a diff beside them is not', async () => {
  const { world, here, there, close } = await openTwoServices()
  try {
    // If both had to create it first, only one of them could.
    for (const side of [here, there]) await side.collections.create({ name: 'posts' })
    for (let batch = 0; batch < 3; batch++) {
      await there.collection('posts').createMany(Array.from({ length: 1_000 }, (_, at) => ({ batch, at })))
    }

    const pull = () => world.svc(['pull', 'posts', ...staging])
    const [different, ...pulls] = await Promise.all([
      world.svc(['diff', 'posts', '--profile', 'staging']),
      ...[pull(), pull(), pull()],
    ])
    const last = await world.json(['pull', 'posts', ...staging])
    const after = await world.svc(['diff', 'posts', '--profile', 'staging'])

    const refused = pulls.filter(({ exit }) => exit !== 0)
    for (const one of refused) {
      expect(one).toMatchObject({ exit: 5, stderr: expect.stringContaining('Another pull or push between') })
    }
    expect([0, 10]).toContain(different.exit)
    expect(last).toMatchObject({ refused: [] })
    expect((await here.collection('posts').list({ limit: 1 })).total).toBe(3_000)
    expect(after.exit).toBe(0)
  } finally {
    await close()
  }
})
