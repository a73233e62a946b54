import { expect, it } from 'vitest'
import { capabilities } from '../database/pglite/asking.js'
import type { Database, Sql } from '../database/port.js'
import { insertDocuments, updateDocumentData } from './documents.js'

const target = { project: 'p', collection: { id: 'c', name: 'posts', schema: {} }, at: '2026-01-01T00:00:00.000Z' }

const atOnce = /jsonb_array_elements|jsonb_path_query/

/** Returns the SQL for writing documents with these numbers of values. */
async function asked(values: readonly number[], write: typeof insertDocuments | typeof updateDocumentData) {
  const texts: string[] = []
  const query = async ({ text }: Sql) => {
    texts.push(text)
    return []
  }
  const rows = values.map((values) => ({ id: 'id', json: '{}', values }))
  await write({ query, capabilities } as Partial<Database> as Database, target, rows)
  return texts.join()
}

it.each([insertDocuments, updateDocumentData])(
  'contract 10.10 above 250,000 values, PostgreSQL builds the jsonb of one document at a time: $name',
  async (write) => {
    expect(await asked([200_000, 50_000], write)).toMatch(atOnce)

    const many = await asked([200_000, 50_000, 1], write)

    expect(many).toContain('data::jsonb')
    expect(many).not.toMatch(atOnce)
  },
)
