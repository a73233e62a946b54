/** The contract of the sequencer, on each database. Histories of parallel writers are in `parallel-writers.test.ts`. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { openIds } from '../../../emulator/core/ids.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { insertCollection, selectCount } from '../../../emulator/store/collections.js'
import { deleteDocuments, insertDocuments, updateDocumentData } from '../../../emulator/store/documents.js'
import { insertProject } from '../../../emulator/store/projects.js'
import type { RecordedSeq, Sequencer, WriteTarget } from '../../../emulator/store/sequencer/port.js'
import { sequencerFor } from '../../../emulator/store/sequencer/sequencer.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

const now = new Date('2026-01-01T00:00:00.000Z')
const at = now.toISOString()
const newId = openIds()

describe.each(engines)('on %s', (engine) => {
  let opened: OpenedEngine
  let db: Database
  let sequencer: Sequencer
  let isNumbered: boolean
  beforeAll(async () => {
    opened = await openEngine(engine)
    db = opened.db
    sequencer = sequencerFor(db)
    isNumbered = db.capabilities.numbersChanges === 'when written'
  })
  afterAll(() => opened.stop())

  let target: WriteTarget
  beforeEach(async () => {
    const id = newId(now)
    const project = { id, name: 'test', settings: defaultSettings }
    const posts: StoredCollection = { id, name: 'posts', schema: {}, permissions: {}, createdAt: at, updatedAt: at }
    await insertProject(db, project, [], at)
    await insertCollection(db, id, posts)
    target = { project: id, collection: posts, at }
  })

  const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ id: newId(now), json: `{"n": ${n}}` }))

  async function changes() {
    await sequencer.number(db, target.project)
    return db.query<{ seq: number; kind: string; document: string | null }>(sql`
      select seq, kind, document_id as document from changes where project_id = ${target.project} order by seq`)
  }

  it('numbers changes in the order of their commits, and those of one write in the order of its documents', async () => {
    const created = rows(3)
    const ids = created.map(({ id }) => id)
    await insertDocuments(db, target, created)
    await updateDocumentData(db, target, created.toReversed())
    await sequencer.recordCollection(db, {
      ...{ project: target.project, collection: target.collection.id, at, kind: 'collection' },
    })
    await deleteDocuments(db, target, ids.slice(1))

    const found = await changes()

    expect(found.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(found.map(({ kind, document }) => [kind, document])).toEqual([
      ...ids.map((id) => ['created', id]),
      ...ids.map((id) => ['updated', id]),
      ['collection', null],
      ...ids.slice(1).map((id) => ['deleted', id]),
    ])
  })

  it('tells the number of the newest change if it has one before the commit, and null for a write that did not apply', async () => {
    const [one] = rows(1)
    const ids = one ? [one.id] : []
    const told: RecordedSeq[] = []
    told.push((await insertDocuments(db, target, one ? [one] : [])).seq)
    told.push((await updateDocumentData(db, target, one ? [one] : [])).seq)
    told.push((await deleteDocuments(db, target, ids)).seq)
    told.push((await deleteDocuments(db, target, ids)).seq)

    expect(told).toEqual(isNumbered ? [1, 2, 3, null] : ['later', 'later', 'later', null])
  })

  it('counts what was committed, before and after it is numbered', async () => {
    const created = rows(5)
    await insertDocuments(db, target, created)
    await deleteDocuments(
      db,
      target,
      created.slice(0, 2).map(({ id }) => id),
    )

    const before = await selectCount(db, target.collection.id)
    await sequencer.number(db, target.project)
    const after = await selectCount(db, target.collection.id)

    expect([before, after]).toEqual([3, 3])
  })

  it('leaves no number and no count of a write that was rolled back', async () => {
    await insertDocuments(db, target, rows(1))
    const broken = db.transaction(async (tx) => {
      await insertDocuments(tx, target, rows(2))
      throw new Error('rolled back')
    })
    await expect(broken).rejects.toThrow('rolled back')
    await insertDocuments(db, target, rows(1))

    expect((await changes()).map(({ seq }) => seq)).toEqual([1, 2])
    expect(await selectCount(db, target.collection.id)).toBe(2)
  })

  it('numbers what writers do at the same time once each, without a gap', async () => {
    const written = Array.from({ length: 30 }, () => rows(2))

    await Promise.all(
      written.map(async (documents) => {
        await insertDocuments(db, target, documents)
        await sequencer.number(db, target.project)
      }),
    )

    const found = await changes()
    expect(found.map(({ seq }) => seq)).toEqual(found.map((_, at) => at + 1))
    expect(found.map(({ document }) => document).sort()).toEqual(written.flat().map(({ id }) => id))
    expect(await selectCount(db, target.collection.id)).toBe(60)
  })

  it('numbers everything of all projects, and all earlier changes before those of a transaction that asks for it', async () => {
    await insertDocuments(db, target, rows(2))
    await sequencer.numberAll(db)
    await insertDocuments(db, target, rows(2))

    const last = await db.transaction(async (tx) => {
      await sequencer.numberFirst(tx, target.project)
      const [row] = await tx.query<{ last: number }>(
        sql`select last_seq as last from sequences where project_id = ${target.project}`,
      )
      return row?.last
    })

    expect(last).toBe(4)
  })
})
