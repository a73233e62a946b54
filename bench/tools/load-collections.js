/** Fills collections of any size with SQL, because a million documents over HTTP would take minutes. */
import { join } from 'node:path'
import { startContender } from './child.js'
import { startDev } from './dev.js'

const step = 50_000

/** Documents of about 300 bytes. `rare` has 1,000 distinct values, `group` has 50, and `amount` is between 0 and 1. */
const insert = `insert into documents (id, collection_id, data, created_at, updated_at)
  select id, $1::uuid, jsonb_build_object(
    'title', 'Post number ' || n, 'rare', n % 1000, 'group', n % 50, 'amount', random(), 'status', 'published',
    'text', repeat(md5(n::text), 5)
  ), uuid_extract_timestamp(id), uuid_extract_timestamp(id)
  from (select n, uuidv7() as id from generate_series($2::int, $3::int) as n) as fresh`
const setCount = 'update document_counts set documents = $2::bigint where collection_id = $1::uuid'

/**
 * @param {string} folder state folder to create @param {Readonly<Record<string, number>>} sizes number of documents by
 * collection
 */
export async function loadCollections(folder, sizes) {
  const empty = await startDev(folder)
  /** @type {[string, number][]} */
  const collections = []
  for (const [name, count] of Object.entries(sizes)) {
    const { id } = await empty.ask('POST', '/collections', { name })
    collections.push([id, count])
  }
  await empty.stop()
  const bare = await startContender('contenders/pglite.js', [join(folder, 'data')])
  for (const [collection, count] of collections) {
    for (let first = 1; first <= count; first += step) {
      const last = Math.min(count, first + step - 1)
      await bare.ask({ text: insert, values: [[collection, String(first), String(last)]], milliseconds: 0 })
    }
    await bare.ask({ text: setCount, values: [[collection, String(count)]], milliseconds: 0 })
  }
  await bare.ask({ text: 'analyze', values: [[]], milliseconds: 0 })
  await bare.stop()
}
