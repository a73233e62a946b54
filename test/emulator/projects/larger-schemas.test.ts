/** Schemas from before there was a limit on their size. Contract 10.10. */
import { expect, it } from 'vitest'
import { sql } from '../../../emulator/database/port.js'
import { startLimited } from '../../fixtures/requests/limited-service.js'

const heavy = (characters: number) => ({ text: { type: 'string', default: 'x'.repeat(characters) } })
const wide = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: 'string' }]))

it.each([
  { of: 'bytes', stored: heavy(70_000), smaller: heavy(69_000), larger: heavy(70_001) },
  { of: 'fields', stored: wide(1_200), smaller: wide(1_100), larger: wide(1_201) },
])(
  'contract 10.10 a schema of more $of from before is taken again as it is, or smaller, and not larger',
  async (schemas) => {
    const { stored, smaller, larger } = schemas
    const { backend, send } = await startLimited({})
    await send('POST', '/collections', { name: 'posts' })
    await backend.db.query(sql`update collections set schema = ${JSON.stringify(stored)}::json`)
    const change = async (schema: object) =>
      (await send('PATCH', '/collections/posts', { schema, permissions: {} })).status

    expect(await change(larger)).toBe(422)
    expect(await change(stored)).toBe(200)
    expect(await change(smaller)).toBe(200)
    expect(await change(stored)).toBe(422)
    expect((await send('POST', '/collections', { name: 'others', schema: smaller })).status).toBe(422)
  },
)
