import { expect, it } from 'vitest'
import { type Database, type Sql, sql } from '../../database/port.js'
import type { View } from '../../store/sql/views.js'
import { type Copy, loadView } from './copies.js'

it('refuses a collection with more rows than a copy can hold before reading any, and says what to use instead', async () => {
  const untouched = new Proxy({}, { get: (_, name) => expect.unreachable(`asked for ${String(name)}`) }) as Database
  const copy: Copy = { db: untouched, project: 'p', loaded: new Map() }
  const view = { name: 'posts', count: 200_001 } as View

  await expect(loadView({ db: untouched }, copy, view)).rejects.toMatchObject({
    code: 'RESULT_TOO_LARGE',
    message: expect.stringMatching(/"posts".* filter, or use psql/),
  })
  expect(copy.loaded.size).toBe(0)
})

it('stops reading at 100 MB and drops the view from the copy', async () => {
  const megabytes = 30
  const page = { rows: 'x'.repeat(megabytes * 1024 * 1024), count: 1, last: '01900000-0000-7000-8000-000000000001' }
  let reads = 0
  const written: string[] = []
  const source = fakeDatabase((text) => {
    if (text.includes('last_seq')) return [{ last: 7 }]
    reads++
    return [page]
  })
  const db = fakeDatabase((text) => {
    written.push(text)
    return []
  })
  const copy: Copy = { db, project: 'p', loaded: new Map() }
  const view: View = {
    ...{ name: 'posts', collection: 'c', count: 10, columns: [], stored: [{ name: 'id', type: 'text' }] },
    ...{ shown: sql`d.id`, rowsAfter: () => sql`select d.id from documents d` },
  }

  await expect(loadView({ db: source }, copy, view)).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' })

  expect(reads).toBe(4)
  expect(written.filter((text) => text.includes('insert into'))).toHaveLength(3)
  expect(written.at(-1)).toContain('drop table if exists')
  expect(copy.loaded.size).toBe(0)
})

/** Stands in for a database. Answers statements by their text. */
function fakeDatabase(answer: (text: string) => unknown[]): Database {
  const query = async ({ text }: Sql) => answer(text)
  return { query, batch: (statements: Sql[]) => Promise.all(statements.map(query)) } as unknown as Database
}
