/** Writers on PostgreSQL run concurrently, and their changes get numbers after the commit. Contract 9.4. */
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { createCollection, getCollection, removeCollection } from '../../../emulator/core/collections/collections.js'
import type { Context } from '../../../emulator/core/context.js'
import {
  createDocument,
  createDocuments,
  listDocuments,
  removeDocument,
  updateDocument,
} from '../../../emulator/core/documents/door.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { resetProject } from '../../../emulator/core/projects/reset.js'
import { inTransaction, unitFor } from '../../../emulator/core/unit-of-work.js'
import { type Database, sql } from '../../../emulator/database/port.js'
import { openPostgres } from '../../../emulator/database/postgres/postgres.js'
import { openMemoryBus } from '../../../emulator/ports/bus/memory-bus.js'
import { deleteRemovedDocuments } from '../../../emulator/store/collections.js'
import { type Recorded, selectChanges } from '../../../emulator/store/realtime/changes.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { aSubscriber, overWebSocket } from '../../fixtures/realtime/subscriber.js'

let server: Databases
let service: Service
/** As of another process, whose messages never arrive: it has died between each commit and its message. */
let other: Database
beforeAll(async () => {
  server = await openDatabases()
  service = await openService({ ...defaultConfig, memory: true, databaseUrl: server.url })
  other = await openPostgres({ url: server.url })
})
afterAll(async () => {
  await other.close()
  await service.close()
  await server.stop()
})

/** The same project for a writer through that database. */
async function contextAt(db: Database): Promise<Context> {
  const backend = { ...service.backend, db, bus: db === other ? openMemoryBus() : service.backend.bus }
  return { ...(await identifyText(service.backend, service.secretKey ?? service.apiKey)), ...unitFor(backend) }
}

let collections = 0
async function aCollection(ctx: Context): Promise<string> {
  const name = `posts${++collections}`
  await createCollection(ctx, { name })
  return name
}

/** Everything after that number, page by page. */
async function changesAfter(db: Database, project: string, after: number): Promise<Recorded[]> {
  const all: Recorded[] = []
  for (;;) {
    const { changes, isAll } = await selectChanges(db, { project, after: all.at(-1)?.seq ?? after })
    all.push(...changes)
    if (isAll) return all
  }
}

async function newestNumber(ctx: Context): Promise<number> {
  return (await selectChanges(ctx.db, { project: ctx.project.id, after: 0 })).lastSeq
}

const everything = { where: { all: [] }, sort: [], limit: 1, offset: 0, count: true, populate: [], select: [] }
const merging = (fields: Record<string, number>) => ({ fields, append: {}, remove: {}, unset: [] })
const documentsOf = (changes: readonly Recorded[]) =>
  changes.flatMap((change) =>
    'document' in change ? [`${change.document.id} ${change.kind} ${change.document.version}`] : [],
  )

describe('contract 9.4 with writers beside one another', () => {
  it('a transaction that stays open holds up nobody, and what it wrote comes with later numbers', async () => {
    const [ctx, elsewhere] = [await contextAt(service.backend.db), await contextAt(other)]
    const name = await aCollection(ctx)
    const start = await newestNumber(ctx)
    let commit = () => {}
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve
    })
    let early = ''
    const slow = inTransaction(elsewhere, async (ctx) => {
      early = (await createDocument(ctx, name, { slow: true })).id
      await mayCommit
    })
    while (early === '') await pause(2)

    const quick = [await createDocument(ctx, name, {}), await createDocument(ctx, name, {})].map(({ id }) => id)
    const before = await changesAfter(ctx.db, ctx.project.id, start)
    commit()
    await slow
    const after = await changesAfter(ctx.db, ctx.project.id, before.at(-1)?.seq ?? 0)

    expect(documentsOf(before)).toEqual(quick.map((id) => `${id} created 1`))
    expect(documentsOf(after)).toEqual([`${early} created 1`])
    expect([...before, ...after].map(({ seq }) => seq)).toEqual([1, 2, 3].map((n) => start + n))
  })

  it('a writer that dies between commit and numbering loses nothing: subscribers elsewhere receive it', async () => {
    const elsewhere = await contextAt(other)
    const name = await aCollection(elsewhere)
    const { url, apiKey } = service
    const subscriber = await aSubscriber(overWebSocket, { url, apiKey, collection: name })

    const { id } = await createDocument(elsewhere, name, { left: true })

    expect((await getCollection(elsewhere, name)).documentCount).toBe(1)
    expect((await listDocuments(elsewhere, name, everything)).total).toBe(1)
    await subscriber.untilHeard(1)
    expect(subscriber.heard.map(({ event, document }) => [event, document.id])).toEqual([['created', id]])
    await subscriber.stop()
  })

  it('random histories of several processes: each change once, without a gap, each document’s in their order', async () => {
    const contexts = [await contextAt(service.backend.db), await contextAt(other)]
    const [ctx] = contexts as [Context, Context]
    const step = fc.record({
      do: fc.nat(9),
      document: fc.nat(5),
      waits: fc.nat(3),
      breaks: fc.nat(9).map((n) => n === 0),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 12 }), { minLength: 4, maxLength: 8 }), async (writers) => {
        const name = await aCollection(ctx)
        const start = await newestNumber(ctx)
        const shared = (
          await createDocuments(
            ctx,
            name,
            Array.from({ length: 6 }, () => ({})),
          )
        ).map(({ id }) => id)
        const ledger = shared.map((id) => `${id} created 1`)
        let isOver = false
        const readers = [ctx.db, other, ctx.db, other].map(async (db) => {
          const heard: Recorded[] = []
          for (let isLast = false; !isLast; ) {
            isLast = isOver
            heard.push(...(await changesAfter(db, ctx.project.id, heard.at(-1)?.seq ?? start)))
          }
          return heard
        })

        const own = await Promise.all(
          writers.map((steps, at) => play(contexts[at % 2] as Context, { name, shared, steps })),
        )
        isOver = true
        const [first = [], ...others] = await Promise.all(readers)

        ledger.push(...own.flat())
        for (const heard of others) expect(heard).toEqual(first)
        expect(first.map(({ seq }) => seq)).toEqual(first.map((_, at) => start + 1 + at))
        expect(documentsOf(first).sort()).toEqual(ledger.sort())
        // The writes of one client, and the changes of one document, keep their order.
        const place = new Map(documentsOf(first).map((what, at) => [what, at]))
        for (const written of own)
          expect(written.map((what) => place.get(what))).toEqual(ascending(written.map((what) => place.get(what))))
        for (const id of shared) {
          const versions = first.flatMap((one) =>
            'document' in one && one.document.id === id ? [one.document.version] : [],
          )
          expect(versions).toEqual(ascending(versions))
        }
        const { documentCount } = await getCollection(ctx, name)
        const created = ledger.filter((what) => what.includes('created')).length
        expect(documentCount).toBe(created - ledger.filter((what) => what.includes('deleted')).length)
      }),
      { numRuns: 8 },
    )
  })

  it('a reset beside writers counts what is there, and draws its numbers after theirs', async () => {
    const contexts = [await contextAt(service.backend.db), await contextAt(other)] as const
    const [ctx] = contexts
    const name = await aCollection(ctx)
    const { id } = await getCollection(ctx, name)
    const start = await newestNumber(ctx)
    let isOver = false
    const writers = contexts
      .flatMap((ctx) => [ctx, ctx])
      .map(async (ctx) => {
        while (!isOver) await createDocument(ctx, name, {})
      })

    for (let round = 0; round < 8; round++) {
      await pause(10)
      await resetProject(ctx.backend, ctx.project.id, { collections: [name] })
    }
    isOver = true
    await Promise.all(writers)

    const { documentCount } = await getCollection(ctx, name)
    const [counted] = await ctx.db.query<{ there: number }>(
      sql`select count(*) as there from documents where collection_id = ${id}`,
    )
    const changes = await changesAfter(ctx.db, ctx.project.id, start)
    const lastReset = changes.findLastIndex(({ kind }) => kind === 'reset')
    expect(documentCount).toBe(counted?.there)
    expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, at) => start + 1 + at))
    expect(changes.length - 1 - lastReset).toBe(documentCount)
  })

  it('a removal of a collection waits for who is writing into it', async () => {
    const [ctx, elsewhere] = [await contextAt(service.backend.db), await contextAt(other)]
    const name = await aCollection(ctx)
    const happened: string[] = []
    // Only this database, since test files share one server.
    const isWaited = sql`
      select 1 as one from pg_locks join pg_stat_activity using (pid)
      where not granted and locktype in ('transactionid', 'tuple') and datname = current_database()`

    const writing = inTransaction(elsewhere, async (ctx) => {
      await createDocument(ctx, name, {})
      const removing = removeCollection(await contextAt(service.backend.db), name).then(() => happened.push('removed'))
      while (happened.length === 0 && (await other.query(isWaited)).length === 0) await pause(2)
      happened.push('written')
      return { removing }
    })
    await (await writing).removing

    expect(happened).toEqual(['written', 'removed'])
  })

  it('a collection that is removed beside writers leaves no document behind', async () => {
    const contexts = [await contextAt(service.backend.db), await contextAt(other)] as const
    const [ctx] = contexts
    for (let round = 0; round < 6; round++) {
      const name = await aCollection(ctx)
      const { id } = await getCollection(ctx, name)
      const writers = contexts
        .flatMap((ctx) => [ctx, ctx, ctx])
        .map(async (ctx) => {
          for (;;) await createDocument(ctx, name, {})
        })
      const endings = Promise.allSettled(writers)
      await pause(15)

      await removeCollection(ctx, name)
      while (await deleteRemovedDocuments(ctx.db, 10_000));
      const codes = (await endings).map((ending) => ending.status === 'rejected' && ending.reason.code)

      expect(new Set(codes)).toEqual(new Set(['NOT_FOUND']))
      expect(await ctx.db.query(sql`select id from documents where collection_id = ${id}`)).toEqual([])
    }
  })
})

interface Played {
  readonly name: string
  readonly shared: readonly string[]
  readonly steps: readonly { do: number; document: number; waits: number; breaks: boolean }[]
}

/** Runs one client's steps; answers what was acknowledged, in order. */
async function play(ctx: Context, { name, shared, steps }: Played): Promise<string[]> {
  const ledger: string[] = []
  const own: string[] = []
  for (const { do: kind, document, waits, breaks } of steps) {
    const id = shared[document] ?? ''
    if (kind < 3) {
      const created = await createDocument(ctx, name, { kind })
      own.push(created.id)
      ledger.push(`${created.id} created 1`)
    } else if (kind < 6) {
      const { version } = await updateDocument(ctx, name, id, merging({ kind }))
      ledger.push(`${id} updated ${version}`)
    } else if (kind === 6 && own.length > 0) {
      const last = own.pop() ?? ''
      await removeDocument(ctx, name, last)
      ledger.push(`${last} deleted 1`)
    } else {
      // Gets its transaction id long before it waits for a document that others change.
      const written: string[] = []
      const whole = inTransaction(ctx, async (ctx) => {
        written.length = 0
        const created = await createDocument(ctx, name, { kind })
        await pause(waits)
        const { version } = await updateDocument(ctx, name, id, merging({ kind }))
        await pause(waits)
        if (breaks) throw new Error('rolled back')
        written.push(`${created.id} created 1`, `${id} updated ${version}`)
      })
      await whole.then(
        () => ledger.push(...written),
        (error: Error) => expect(error.message).toBe('rolled back'),
      )
    }
  }
  return ledger
}

function ascending(numbers: readonly (number | undefined)[]) {
  return [...numbers].sort((one, other) => Number(one) - Number(other))
}
