import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import type { Fields } from '../../../client/protocol/model/document.js'
import { defaultSettings } from '../../../client/protocol/model/project.js'
import { openIds } from '../../../emulator/core/ids.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { insertCollection } from '../../../emulator/store/collections.js'
import { deleteDocuments, insertDocuments, updateDocumentData } from '../../../emulator/store/documents.js'
import { insertProject } from '../../../emulator/store/projects.js'
import { selectChanges } from '../../../emulator/store/realtime/changes.js'
import { deleteOldChanges } from '../../../emulator/store/realtime/trimming.js'
import { selectVersions, selectVersionsAt } from '../../../emulator/store/realtime/versions.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

// On PGlite, small documents that are created together share the copies that their changes hold; on PostgreSQL each change has its
// own. Readers of changes must not see the difference, however many of the oldest are deleted.

const at = '2026-01-01T00:00:00.000Z'
const newId = openIds()

/** Updates and deletions name documents by their places among those that were created. */
type Step =
  | { readonly do: 'create'; readonly documents: readonly Fields[] }
  | { readonly do: 'update'; readonly places: readonly number[]; readonly fields: Fields }
  | { readonly do: 'remove'; readonly places: readonly number[] }

const value = fc.constantFrom<Fields[string][]>(1.5, 1e-7, 'Zürich', '\\"\u2028', null, true, [[], {}], { deep: [1] })
const small = fc.dictionary(fc.constantFrom('n', 'title', 'tags', '__proto__'), value, { maxKeys: 3 })
const large = fc.constantFrom<Fields[]>({ text: 'x'.repeat(1_100) }, { text: 'ü'.repeat(980) })
const fields = fc.oneof({ weight: 40, arbitrary: small }, { weight: 1, arbitrary: large })
const places = fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 20 })
const several = fc.constantFrom(1, 2, 15, 16, 17, 32, 33, 50)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('create' as const),
    documents: several.chain((count) => fc.array(fields, { minLength: count, maxLength: count })),
  }),
  fc.record({ do: fc.constant('update' as const), places, fields }),
  fc.record({ do: fc.constant('remove' as const), places }),
)

/** A change as the history implies it. */
interface Expected {
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly data: unknown
  readonly before: unknown
}

describe.each(engines)('%s', (engine) => {
  let opened: OpenedEngine
  beforeAll(async () => {
    opened = await openEngine(engine)
  })
  afterAll(() => opened.stop())

  it('a change has the copy of its document, whatever was written together and however many are deleted', async () => {
    const { db } = opened
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(100), async (history, kept) => {
        const world = await openWorld(db)
        const expected = await world.play(history)
        expect(await world.changes(0)).toEqual(expected)

        await deleteOldChanges(db, { before: '2027-01-01T00:00:00.000Z', kept, most: 1_000 })

        const left = expected.slice(Math.max(0, expected.length - kept))
        expect(await world.changes(0)).toEqual(left)
        const middle = expected.length - Math.floor(left.length / 2)
        expect(await world.changes(middle)).toEqual(expected.slice(middle))
        for (const { id } of left.slice(0, 3)) {
          const ofIt = left.filter((one) => one.id === id).reverse()
          expect(await world.versions(id)).toEqual(ofIt)
          expect(await world.versionsAt(id, 1)).toEqual(ofIt.filter(({ version }) => version <= 2))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('a page of small documents is as full as one of others', async () => {
    const world = await openWorld(opened.db)
    await world.play([{ do: 'create', documents: Array.from({ length: 700 }, (_, n) => ({ n })) }])

    const page = await selectChanges(opened.db, { project: world.project, after: 0 })

    expect([page.changes.length, page.isAll, page.lastSeq]).toEqual([500, false, 700])
  })
})

it.runIf(engines.includes('pglite'))('on PGlite the copies take less than the documents', async () => {
  const { db, stop } = await openEngine('pglite')
  try {
    const world = await openWorld(db)
    const documents = Array.from({ length: 1_000 }, (_, n) => ({ n, text: 'what is in each of them '.repeat(10) }))
    await world.play([{ do: 'create', documents }])

    const [size] = await db.query<{ documents: number; changes: number }>(sql`
      select pg_total_relation_size('documents') - pg_indexes_size('documents') as documents,
        pg_total_relation_size('changes') - pg_indexes_size('changes') as changes`)

    expect(size?.changes).toBeLessThan(Number(size?.documents) / 2)
  } finally {
    await stop()
  }
})

let projects = 0

async function openWorld(db: Database) {
  const project = `p${++projects}-${Date.now()}`
  const id = newId(new Date(at))
  const posts: StoredCollection = { id, name: 'posts', schema: {}, permissions: {}, createdAt: at, updatedAt: at }
  await insertProject(db, { id: project, name: 'test', settings: defaultSettings }, [], at)
  await insertCollection(db, project, posts)
  const place = { project, collection: posts, at }
  const versionPlace = (document: string) => ({ project, collection: id, document })
  const parsed = (text: { toString(): string } | undefined) => JSON.parse(JSON.stringify(text ?? null))

  return {
    project,
    /** Writes a history, and says what it changed. */
    async play(history: readonly Step[]): Promise<Expected[]> {
      const changes: Expected[] = []
      const ids: string[] = []
      const documents = new Map<string, { version: number; data: unknown }>()
      const present = (places: readonly number[]) =>
        places.flatMap((place) => (documents.has(ids[place] ?? '') ? [ids[place] ?? ''] : [])).sort()
      const write = (kind: string, id: string, data: unknown) => {
        const former = documents.get(id)
        const version = (former?.version ?? 0) + (kind === 'deleted' ? 0 : 1)
        const now = kind === 'deleted' ? former?.data : data
        changes.push({ kind, id, version, data: now, before: kind === 'updated' ? former?.data : null })
        documents.set(id, { version, data: now })
      }
      for (const step of history) {
        if (step.do === 'create') {
          const rows = step.documents.map((one) => ({ id: newId(new Date(at)), json: JSON.stringify(one) }))
          await insertDocuments(db, place, rows)
          for (const { id, json } of rows) write('created', id, JSON.parse(json))
          ids.push(...rows.map(({ id }) => id))
          continue
        }
        const found = present(step.places)
        if (found.length === 0) continue
        if (step.do === 'update') {
          const json = JSON.stringify(step.fields)
          const rows = found.map((id) => ({ id, json }))
          await db.transaction((tx) => updateDocumentData(tx, place, rows))
          for (const id of found) write('updated', id, JSON.parse(json))
        } else {
          await db.transaction((tx) => deleteDocuments(tx, place, found))
          for (const id of found) {
            write('deleted', id, undefined)
            documents.delete(id)
          }
        }
      }
      return changes
    },
    async changes(after: number): Promise<Expected[]> {
      const found = []
      for (let seq = after; ; ) {
        const { changes, isAll } = await selectChanges(db, { project, after: seq })
        found.push(...changes)
        seq = changes.at(-1)?.seq ?? seq
        if (isAll) break
      }
      return found.flatMap((change) => {
        if (!('document' in change)) return []
        const { kind, document, before } = change
        const { id, version, data } = document
        return [{ kind, id, version, data: parsed(data), before: parsed(before?.data) }]
      })
    },
    versions: async (document: string) => {
      const { rows } = await selectVersions(db, versionPlace(document), { before: undefined, most: 100 })
      return rows.map((row) => ({ ...shown(row), id: document }))
    },
    versionsAt: async (document: string, version: number) => {
      const rows = await selectVersionsAt(db, versionPlace(document), [version])
      return rows.map((row) => ({ ...shown(row), id: document }))
    },
  }

  function shown({ kind, version, data, before }: Awaited<ReturnType<typeof selectVersionsAt>>[number]) {
    return { kind, version, data: parsed(data), before: parsed(before?.data) }
  }
}
