import { expect, test } from 'vitest'
import { parseSelect } from './parser.js'
import { mostWorkOf } from './work.js'

const counts = new Map([
  ['posts', 1_000],
  ['authors', 100],
])

test.each([
  ['select 1', 1],
  ['select * from posts', 1_000],
  ['select count(*) from posts where views > 3', 1_000],
  // Each author is looked for among all posts, or each post among all authors.
  ['select * from posts p join authors a on a.id = p.author', 200_000],
  ['select * from posts union all select * from posts', 2_000],
  ['select (select count(*) from posts), (select count(*) from posts)', 2_001],
  ['select (select count(*) from posts p where p.author = a.id) from authors a', 100_100],
  ['select * from authors a where exists (select from posts)', 100_100],
  ['with n as (select count(*) from posts) select * from n a, n b', 2_000],
  ['with n as (select * from posts) select * from n a, n b', 2_000_000],
  ['select * from (select * from posts limit 10) a, (select * from posts limit 10) b', 20_000],
  ['select * from posts, jsonb_array_elements(data) e', 200_000],
  ['select * from (values (1), (2)) v, posts', 4_000],
])('%s puts at most %i rows beside one another', async (query, work) => {
  const { select } = await parseSelect(query)

  expect(mostWorkOf(select, counts)).toBe(work)
})

test('more and more of the same multiply', async () => {
  const all = Array.from({ length: 20 }, (_, n) => `posts p${n}`).join(', ')
  const { select } = await parseSelect(`select count(*) from (select 1 from ${all}) x`)

  expect(mostWorkOf(select, counts)).toBeGreaterThan(1e50)
})
