import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Schema, StoredCollection } from '../../../client/protocol/model/collection.js'
import type { DocumentUpdate, Fields } from '../../../client/protocol/model/document.js'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { openCaches } from '../../../emulator/core/caches.js'
import type { Context } from '../../../emulator/core/context.js'
import {
  createDocument,
  removeDocument,
  removeDocuments,
  replaceDocument,
  updateDocument,
  updateDocuments,
} from '../../../emulator/core/documents/door.js'
import { unscoped } from '../../../emulator/core/identity.js'
import { openIds } from '../../../emulator/core/ids.js'
import { inTransaction, unitFor } from '../../../emulator/core/unit-of-work.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openMemoryBus } from '../../../emulator/ports/bus/memory-bus.js'
import {
  deleteCollection,
  insertCollection,
  selectCount,
  updateCollection,
} from '../../../emulator/store/collections.js'
import { insertFiles } from '../../../emulator/store/files.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { sequencerFor } from '../../../emulator/store/sequencer/sequencer.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'
import { aBackend } from '../../fixtures/stand-ins.js'

// A write of one document is a statement of its own or, inside a transaction, one that locks first. Both are asked here for the
// same histories, and have to leave the same rows, changes, counts and answers.

const at = new Date('2026-01-01T00:00:00.000Z')

/** `document` is the index of one that was created; the last index stands for an unknown id. */
type Step =
  | { readonly do: 'create'; readonly fields: Fields }
  | {
      readonly do: 'update'
      readonly document: number
      readonly changes: DocumentUpdate
      readonly guard: number[] | 'any'
    }
  | { readonly do: 'replace'; readonly document: number; readonly fields: Fields; readonly guard: number[] | 'any' }
  | { readonly do: 'remove'; readonly document: number; readonly guard: number[] | 'any' }
  | { readonly do: 'schema'; readonly schema: Schema }

const value = fc.constantFrom<Fields[string][]>(1, 'text', null, true, ['a', 'b'], ['b'], { deep: { n: 1 } })
const fields = fc.dictionary(fc.constantFrom('n', 'title', 'tags', 'other', '__proto__'), value, { maxKeys: 3 })
const guard = fc.oneof(fc.constant('any' as const), fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }))
const document = fc.integer({ min: 0, max: 3 })
const lists = fc.dictionary(fc.constantFrom('tags', 'title'), fc.constantFrom(['a'], ['c'], 'a'), { maxKeys: 1 })
const unset = fc.array(fc.constantFrom('title', 'n', 'tags'), { maxLength: 2 })
const changes = fc.record({ fields, append: lists, remove: lists, unset })
const schema = fc.constantFrom<Schema[]>(
  {},
  { n: { type: 'number' } },
  { title: { type: 'string', required: true }, n: { type: 'number', default: 7 } },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), fields }),
  fc.record({ do: fc.constant('update' as const), document, changes, guard }),
  fc.record({ do: fc.constant('replace' as const), document, fields, guard }),
  fc.record({ do: fc.constant('remove' as const), document, guard }),
  fc.record({ do: fc.constant('schema' as const), schema }),
)

describe.each(engines)('%s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())

  it('a write of one document leaves the same alone and in a transaction, whatever came before', async () => {
    const { db } = opened
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (history) => {
        const alone = await play(db, history, (ctx, work) => work(ctx))
        const locked = await play(db, history, (ctx, work) => inTransaction(ctx, work))
        expect(alone).toEqual(locked)
      }),
      { numRuns: 60 },
    )
  })

  it('a hundred changes of one document at once are all kept', async () => {
    const world = await openWorld(opened.db)
    const { id } = await createDocument(world.ctx, 'posts', { tags: [] })

    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        updateDocument(world.ctx, 'posts', id, {
          fields: { [`field${n}`]: n },
          append: { tags: [n] },
          remove: {},
          unset: [],
        }),
      ),
    )

    const [row] = await world.rows()
    expect(row?.version).toBe(101)
    const { tags, ...others } = JSON.parse(row?.data ?? '{}')
    expect(tags).toHaveLength(100)
    expect(Object.keys(others)).toHaveLength(100)
    expect((await world.changes()).map(({ seq }) => seq)).toEqual(Array.from({ length: 101 }, (_, n) => n + 1))
  })

  it('of a hundred removals of one document at once, one removes it', async () => {
    const world = await openWorld(opened.db)
    const { id } = await createDocument(world.ctx, 'posts', {})

    const removals = Array.from({ length: 100 }, () => removeDocument(world.ctx, 'posts', id).catch(({ code }) => code))
    const outcomes = await Promise.all(removals)

    expect(outcomes.filter((outcome) => outcome !== 'NOT_FOUND')).toEqual([{ id }])
    expect(await world.count()).toBe(0)
    expect((await world.changes()).map(({ kind }) => kind)).toEqual(['created', 'deleted'])
  })

  it('what finds no document publishes nothing, and what is written its number if it has one by then', async () => {
    const world = await openWorld(opened.db)
    const { id } = await createDocument(world.ctx, 'posts', {})
    await removeDocument(world.ctx, 'posts', id)

    const again = await removeDocument(world.ctx, 'posts', id).catch(({ code }) => code)

    expect(again).toBe('NOT_FOUND')
    expect(world.published).toEqual(opened.db.capabilities.numbersChanges === 'after commit' ? [null, null] : [1, 2])
  })

  it('no write finds a document of a collection that another process has removed', async () => {
    const world = await openWorld(opened.db)
    const { id } = await createDocument(world.ctx, 'posts', { n: 1 })
    const before = await world.rows()
    // Nothing is published to this process.
    await deleteCollection(opened.db, world.collection)

    const change = { fields: { n: 2 }, append: {}, remove: {}, unset: [] }
    const writes: readonly ((ctx: Context) => Promise<unknown>)[] = [
      (ctx) => updateDocument(ctx, 'posts', id, change),
      (ctx) => replaceDocument(ctx, 'posts', id, { n: 2 }),
      (ctx) => removeDocument(ctx, 'posts', id),
      (ctx) => updateDocuments(ctx, 'posts', new Map([[id, change]])),
      (ctx) => removeDocuments(ctx, 'posts', [id]),
      (ctx) => createDocument(ctx, 'posts', {}),
    ]
    for (const write of writes) {
      expect(await write(world.ctx).catch(({ code }) => code)).toBe('NOT_FOUND')
      expect(await inTransaction(world.ctx, write).catch(({ code }) => code)).toBe('NOT_FOUND')
    }

    expect(await world.rows()).toEqual(before)
    expect((await world.changes()).map(({ kind }) => kind)).toEqual(['created'])
  })

  it('a document that has files is removed in a transaction, and its files are swept', async () => {
    const world = await openWorld(opened.db)
    const { id, collectionId } = await createDocument(world.ctx, 'posts', {})
    await world.attachFile(id, collectionId)

    await removeDocument(world.ctx, 'posts', id)

    expect(world.sweeps).toBe(1)
  })
})

/** The result of a history, with documents named by their indexes. */
async function play(
  db: Database,
  history: readonly Step[],
  run: <Result>(ctx: Context, work: (ctx: Context) => Promise<Result>) => Promise<Result>,
) {
  const world = await openWorld(db)
  const ids: string[] = []
  const outcomes = []
  for (const step of history) {
    if (step.do === 'schema') await world.setSchema(step.schema)
    else outcomes.push(await run(world.ctx, (ctx) => take(ctx, step, ids)).catch(outcomeOf))
  }
  const left = { outcomes, rows: await world.rows(), changes: await world.changes(), count: await world.count() }
  return JSON.parse(ids.reduce((text, id, place) => text.replaceAll(id, `document ${place}`), JSON.stringify(left)))
}

/** Answers without values that differ between runs. */
async function take(ctx: Context, step: Exclude<Step, { do: 'schema' }>, ids: string[]): Promise<unknown> {
  if (step.do === 'create') {
    const { id, data } = await createDocument(ctx, 'posts', step.fields)
    ids.push(id)
    return JSON.parse(JSON.stringify(data))
  }
  const id = ids[step.document] ?? '01900000-0000-7000-8000-00000000ffff'
  const { guard } = step
  if (step.do === 'remove') return removeDocument(ctx, 'posts', id, guard)
  const { data, version } =
    step.do === 'update'
      ? await updateDocument(ctx, 'posts', id, step.changes, { guard })
      : await replaceDocument(ctx, 'posts', id, step.fields, { guard })
  return { data: JSON.parse(JSON.stringify(data)), version }
}

function outcomeOf({ code, message, issues }: { code?: string; message: string; issues?: unknown }) {
  return { code, message, issues }
}

let projects = 0

async function openWorld(db: Database) {
  const project = { id: `p${++projects}-${Date.now()}`, name: 'test', settings: defaultSettings }
  const bus = openMemoryBus()
  const published: (number | null)[] = []
  bus.subscribe({
    changes: ({ seq }) => void published.push(seq),
    identity: () => undefined,
    settings: () => undefined,
  })
  const newId = openIds()
  let sweeps = 0
  const backend = aBackend({
    ...{ db, bus, caches: openCaches(bus), newId },
    now: () => at,
    sweepFilesSoon: () => void sweeps++,
  })
  const id = newId(at)
  const caller = { id, key: { id, secret: true, ...unscoped }, user: undefined, secret: true }
  const ctx: Context = { project, caller, ...unitFor(backend) }
  const time = at.toISOString()
  const posts: StoredCollection = { id, name: 'posts', schema: {}, permissions: {}, createdAt: time, updatedAt: time }
  await insertProject(db, project, [], time)
  await insertCollection(db, project.id, posts)
  return {
    ctx,
    collection: id,
    published,
    get sweeps() {
      return sweeps
    },
    async setSchema(schema: Schema) {
      await updateCollection(db, { ...posts, schema })
      bus.publish([{ kind: 'settings' }])
    },
    rows: () =>
      db.query<{ data: string; version: number }>(
        sql`select id, data, version, created_at, updated_at from documents where collection_id = ${id} order by id`,
      ),
    async changes() {
      await sequencerFor(db).number(db, project.id)
      return db.query<{ seq: number; kind: string }>(sql`
        select seq, kind, document_id, version, data, before, recorded_at
        from changes where project_id = ${project.id} order by seq`)
    },
    count: () => selectCount(db, id),
    attachFile(document: string, collection: string) {
      const place = { project: project.id, owner: { document, collection }, limitBytes: null, at: time }
      return insertFiles(db, place, [{ id: newId(at), name: 'a.txt', path: '/a.txt', size: 1, mimeType: 'text/plain' }])
    },
  }
}
