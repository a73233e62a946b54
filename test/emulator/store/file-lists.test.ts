import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fragment, sql } from '../../../emulator/database/port.js'
import { type FileReader, selectFiles } from '../../../emulator/store/lists/files.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { rowsRead, watch } from '../../fixtures/databases/rows-read.js'

const guarded = '01900000-0000-7000-8000-000000000001'
const open = '01900000-0000-7000-8000-000000000002'
const [ada, bob] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
const nobody: FileReader = { mayReadAll: false, roles: [], user: undefined }

describe.each(engines)('Lists of files on %s', (engine) => {
  let opened: OpenedEngine

  beforeAll(async () => {
    opened = await openEngine(engine)
    await opened.db.batch([
      sql`insert into projects (id, name, settings, created_at) values ('p', 'P', '{}', now())`,
      sql`insert into file_totals (project_id, files, bytes) values ('p', 0, 0)`,
      sql`insert into collections (id, project_id, name, schema, permissions, created_at, updated_at) values
        (${guarded}, 'p', 'guarded', '{}', '{"read": ["admin"]}', now(), now()),
        (${open}, 'p', 'open', '{}', '{"read": []}', now(), now())`,
      sql`insert into documents (id, collection_id, data, created_at, updated_at) values
        (${guarded}, ${guarded}, '{}', now(), now()), (${open}, ${open}, '{}', now(), now())`,
      sql`insert into users (id, project_id, email, email_key, data, roles, email_verified, created_at, updated_at) values
        (${ada}, 'p', 'ada', 'ada', '{}', '[]', true, now(), now()),
        (${bob}, 'p', 'bob', 'bob', '{}', '[]', true, now(), now())`,
    ])
    // From the oldest to the newest: the public files are older than thousands that few readers may list.
    await files(300, sql`true, null, null, null`)
    await files(300, sql`false, ${open}::uuid, ${open}::uuid, null`)
    await files(200, sql`false, null, null, ${ada}::uuid`)
    await files(4_000, sql`false, ${guarded}::uuid, ${guarded}::uuid, null`)
    await files(2_000, sql`false, null, null, ${bob}::uuid`)
  })
  afterAll(() => opened.stop())

  let made = 0

  async function files(many: number, owner: Fragment) {
    const ids = Array.from({ length: many }, () => `01900000-0000-7000-9000-${String(++made).padStart(12, '0')}`)
    await opened.db.query(sql`
      insert into files (id, project_id, name, path, size, mime_type, created_at, stays, document_id, collection_id, user_id)
      select id, 'p', 'a', '', 1, 'text/plain', now(), ${owner} from unnest(${ids}::uuid[]) as fresh (id)`)
    await opened.db.query(sql`
      update file_totals set files = files + ${many}::int, bytes = bytes + ${many}::int where project_id = 'p'`)
  }

  /** A reader's page, and how many rows of files were read for it. */
  async function pageFor(reader: FileReader, page: { limit: number; offset: number }) {
    const { watched, sent } = watch(opened.db)
    const found = await selectFiles(watched, { project: 'p', path: '', reader }, page)
    const read = await rowsRead(opened.db, 'files', sent)
    return { ...found, read }
  }

  it.each([
    ['a key', nobody, 600],
    ['a user with files', { ...nobody, roles: ['authenticated'], user: ada }, 800],
    ['a user of the role', { ...nobody, roles: ['authenticated', 'admin'] }, 4_600],
    ['the secret key', { ...nobody, mayReadAll: true }, 6_800],
  ] as const)('contract 8.1 a page for %s reads no files of others, wherever they lie', async (_who, reader, total) => {
    const first = await pageFor(reader, { limit: 20, offset: 0 })
    const later = await pageFor(reader, { limit: 20, offset: 100 })

    expect([first.total, first.items.length, later.items.length]).toEqual([total, 20, 20])
    const ids = [...first.items, ...later.items].map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted().reverse())
    // At most a page of rows for each audience, and the page itself.
    expect(first.read).toBeLessThanOrEqual(4 * 20)
    expect(later.read).toBeLessThanOrEqual(4 * 120)
  })
})
