/** Documents that are created at the same time are written together where each commit waits for the disk. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields, StoredDocument } from '../../../client/protocol/model/document.js'
import { defaultConfig } from '../../../emulator/assembly/config.js'
import { openService, type Service } from '../../../emulator/assembly/open-service.js'
import { createUser } from '../../../emulator/core/accounts/owner.js'
import { createCollection } from '../../../emulator/core/collections/collections.js'
import type { Context } from '../../../emulator/core/context.js'
import { createDocument, openJoinedCreates } from '../../../emulator/core/documents/door.js'
import { identifyText } from '../../../emulator/core/logins/credentials.js'
import { inTransaction, unitFor } from '../../../emulator/core/unit-of-work.js'
import { type Database, DatabaseError, type Sql, sql } from '../../../emulator/database/port.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'

let server: Databases
beforeAll(async () => {
  server = await openDatabases()
})
afterAll(() => server.stop())

describe.each(engines)('on %s', (engine) => {
  let service: Service
  beforeAll(async () => {
    const databaseUrl = engine === 'postgres' ? server.url : undefined
    service = await openService({ ...defaultConfig, memory: true, databaseUrl })
    await createCollection(await contextWith(service.backend.db), { name: 'posts' })
  })
  afterAll(() => service.close())

  async function contextWith(db: Database): Promise<Context> {
    const backend = { ...service.backend, db, joinedCreates: openJoinedCreates() }
    return { ...(await identifyText(service.backend, service.secretKey ?? service.apiKey)), ...unitFor(backend) }
  }

  async function asUser(ctx: Context, name: string): Promise<Context> {
    const email = `${name}@example.com`
    const { id } = await createUser(service.backend, ctx.project.id, { email, password: 'Correct4Horse' })
    const { caller } = await identifyText(service.backend, service.apiKey)
    const signedInAt = '2026-01-01T00:00:00.000Z'
    const user = { id, sessionId: id, roles: [], isVerified: true, signedInAt }
    return { ...ctx, caller: { ...caller, id, user } }
  }

  /** The same database, which records inserts of documents and may refuse them. */
  function watched(refuse: (statement: Sql) => void = () => undefined) {
    const inserts: Sql[] = []
    const db: Database = {
      ...service.backend.db,
      async query(statement) {
        if (statement.text.includes('insert into documents')) {
          inserts.push(statement)
          refuse(statement)
        }
        return service.backend.db.query(statement)
      },
    }
    return { db, inserts }
  }

  const mentions = (word: string, { values }: Sql) =>
    values.some((value) => typeof value === 'string' && value.includes(word))
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)
  const documents = async (word: string) =>
    service.backend.db.query<{ id: string; n: number }>(
      sql`select id, (data ->> 'n')::int as n from documents where data ? ${word} order by id`,
    )

  it('each is answered its own, with few statements where a commit is dear', async () => {
    const { db, inserts } = watched()
    const ctx = await contextWith(db)

    const created = await Promise.all(
      Array.from({ length: 300 }, (_, n) => createDocument(ctx, 'posts', { many: true, n })),
    )

    expect(created.map(({ data }) => JSON.parse(JSON.stringify(data)).n)).toEqual(created.map((_, n) => n))
    const own = created.map(({ id }, n) => ({ id, n })).sort((one, other) => (one.id < other.id ? -1 : 1))
    expect(await documents('many')).toEqual(own)
    // How many arrive while others are written depends on the machine.
    if (db.capabilities.isDurable) expect(inserts.length).toBeLessThan(60)
    else expect(inserts.length).toBe(300)
  })

  it('one that the database refuses fails alone', async () => {
    const { db } = watched((statement) => {
      if (mentions('"poison"', statement)) throw new DatabaseError('Refused.', '22000')
    })
    const ctx = await contextWith(db)
    const fields: Fields[] = [
      { some: 1, n: 0 },
      { some: 1, n: 1 },
      { some: 1, n: 2, poison: true },
      { some: 1, n: 3 },
    ]

    const outcomes = await Promise.allSettled(fields.map((one) => createDocument(ctx, 'posts', one)))

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect((await documents('some')).map(({ n }) => n)).toEqual([0, 1, 3])
  })

  it('where nobody knows whether they were committed, none is written again', async () => {
    const { db, inserts } = watched(() => {
      throw new DatabaseError('The connection broke.', '08007')
    })
    const ctx = await contextWith(db)

    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => createDocument(ctx, 'posts', { n })))

    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(new Set(inserts.flatMap(({ values }) => values.filter((value) => Array.isArray(value)).flat())).size).toBe(
      20,
    )
    expect(
      inserts.reduce((sum, { values }) => sum + values.filter((value) => Array.isArray(value)).flat().length, 0),
    ).toBe(20)
  })

  it('contract 13.2 those of different readers share statements, and each links only to what its caller may read', async () => {
    const { db, inserts } = watched()
    const owner = await contextWith(db)
    const boards = await createCollection(owner, { name: 'boards', permissions: { read: ['owner'] } })
    const link = { type: 'link', to: boards.id } as const
    await createCollection(owner, { name: 'cards', schema: { board: link, slug: { type: 'string', unique: true } } })
    const readers = await Promise.all(['ada', 'bob'].map((name) => asUser(owner, name)))
    const own = await Promise.all(readers.map((ctx) => createDocument(ctx, 'boards', {})))
    const foreign = [...own].reverse()
    inserts.length = 0

    const create = (at: number, board: string | undefined, slug: string) =>
      createDocument(readers[at % 2] ?? owner, 'cards', { board: board ?? '', slug }).then(
        () => 'created',
        ({ code }) => code,
      )
    const alike = await Promise.all(numbers(100).map((at) => create(at, own[at % 2]?.id, `slug ${at}`)))
    const statements = inserts.length
    const mixed = await Promise.all([
      ...numbers(20).map((at) => create(at, own[at % 2]?.id, `later ${at}`)),
      ...numbers(20).map((at) => create(at, own[at % 2]?.id, `slug ${at}`)),
      ...numbers(20).map((at) => create(at, foreign[at % 2]?.id, `hidden ${at}`)),
    ])

    expect(alike).toEqual(Array(100).fill('created'))
    // How many arrive while others are written depends on the machine.
    if (db.capabilities.isDurable) expect(statements).toBeLessThan(60)
    expect(mixed).toEqual(
      ['created', 'DUPLICATE_VALUE', 'VALIDATION_ERROR'].flatMap((outcome) => Array<string>(20).fill(outcome)),
    )
    expect(await documents('slug')).toHaveLength(120)
  })

  it('one of a transaction is written in it, whoever else creates meanwhile', async () => {
    const ctx = await contextWith(service.backend.db)

    const broken = inTransaction(ctx, async (ctx) => {
      await createDocument(ctx, 'posts', { whole: 1, n: 1 })
      throw new Error('rolled back')
    })
    const beside = Array.from({ length: 20 }, (_, n) => createDocument(ctx, 'posts', { beside: 1, n }))
    await broken.catch(() => undefined)
    await Promise.all(beside)

    expect(await documents('whole')).toEqual([])
    expect(await documents('beside')).toHaveLength(20)
  })
})

describe('Creates that wait for others', () => {
  /** A queue of writes that the test ends one by one: the texts of each. */
  function heldWrites(db: Database) {
    const creates = openJoinedCreates()
    const written: string[][] = []
    const ends: (() => void)[] = []
    const write = (texts: readonly { readonly json: string }[]) => {
      written.push(texts.map(({ json }) => json))
      return new Promise<readonly StoredDocument[]>((resolve) => ends.push(() => resolve([])))
    }
    const insert = (collection: string, json: string) =>
      creates.insert({ db, collection }, { ...text, json }, write as Parameters<typeof creates.insert>[2])
    return { written, insert, end: () => ends.shift()?.() }
  }

  const text: Parameters<ReturnType<typeof openJoinedCreates>['insert']>[1] = { json: '' }
  const db = {} as Database
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

  it('go out in the order they came, at most 200 documents in a statement', async () => {
    const { written, insert, end } = heldWrites(db)
    const all = Array.from({ length: 452 }, (_, n) => insert('posts', `${n}`))

    for (let group = 0; group < 5; group++) {
      end()
      await nextTurn()
    }
    await Promise.all(all)

    expect(written.map(({ length }) => length)).toEqual([1, 1, 200, 200, 50])
    expect(written.flat()).toEqual(Array.from({ length: 452 }, (_, n) => `${n}`))
  })

  it('go out with a mebibyte of text at most in a statement, but for one that is larger alone', async () => {
    const { written, insert, end } = heldWrites(db)
    const half = 'x'.repeat(512 * 1024)
    const all = ['1', '2', half, half, half, `${half}${half}x`, '3'].map((json) => insert('posts', json))

    for (let group = 0; group < 6; group++) {
      end()
      await nextTurn()
    }
    await Promise.all(all)

    expect(written.map(({ length }) => length)).toEqual([1, 1, 2, 1, 1, 1])
  })

  it('wait for none of another collection, and for two statements of their own at most', async () => {
    const { written, insert } = heldWrites(db)

    for (const json of ['1', '2', '3', '4']) void insert('posts', json)
    void insert('notes', '5')

    expect(written).toEqual([['1'], ['2'], ['5']])
  })
})
