import { expect, test } from 'vitest'
import { openIndexKeeper } from '../../../emulator/background/indexes.js'
import { sql } from '../../../emulator/database/port.js'
import { selectFieldIndexes } from '../../../emulator/store/lists/indexes.js'
import { aCollection, database, list, onEachEngine } from '../../fixtures/databases/stored-lists.js'

const [ada, bob] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']

onEachEngine(() => {
  test('lists of what one user created, asked for often, get an index that changes nothing about them', async () => {
    const posts = await aCollection(
      'posts',
      Array.from({ length: 40 }, (_, n) => ({ n })),
    )
    await database().query(sql`
      update documents set created_by = case when (data ->> 'n')::int % 4 = 0 then ${ada}::uuid else ${bob}::uuid end
      where collection_id = ${posts}::uuid`)
    const keeper = openIndexKeeper(database(), {
      now: () => new Date(),
      report: (error) => expect.fail(String(error)),
      fromDocuments: 0,
      fromTimes: 1,
    })
    const query = { sort: [{ path: ['n'], direction: 'asc' }], limit: 3, offset: 2 } as const
    const before = await list(posts, query, undefined, { creator: ada })
    for (let times = 0; times < 2; times++) {
      await list(posts, query, keeper, { creator: ada })
      await keeper.settled()
    }

    const indexes = (await selectFieldIndexes(database())).filter(({ collection }) => collection === posts)

    expect(before).toEqual({ found: [{ n: 8 }, { n: 12 }, { n: 16 }], total: 10 })
    expect(await list(posts, query, keeper, { creator: ada })).toEqual(before)
    expect(indexes.map(({ kind, isReady }) => [kind, isReady])).toEqual([['creator', true]])
    keeper.close()
  })
})
