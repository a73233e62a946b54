/** Cases that every database adapter must pass. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asSvcError } from '../../emulator/core/failures.js'
import { migrate, NewerDatabaseError } from '../../emulator/database/migrate.js'
import { type Database, DatabaseError, maxPrepared, sql } from '../../emulator/database/port.js'

export interface DatabaseOptions {
  readonly maxStatementMilliseconds: number
}

export function databaseCases(engine: string, open: (options: DatabaseOptions) => Promise<Database>) {
  describe(`a database on ${engine}`, () => {
    let db: Database

    beforeAll(async () => {
      db = await open({ maxStatementMilliseconds: 1_500 })
      await db.query(sql`create schema if not exists svc`)
      await db.query(sql`create table svc.things (id text primary key, n integer)`)
    })

    afterAll(() => db.close())

    it('gives values back as the port promises', async () => {
      const [row] = await db.query(sql`
        select ${'text'} as text, ${7}::int as int, ${2 ** 40}::bigint as bigint, ${0.5}::float8 as float, ${true}::bool as bool,
          ${null}::text as nothing, ${'{"b": 1}'}::jsonb as json, ${'2026-01-02T03:04:05.060Z'}::timestamptz as time,
          '2026-01-02T03:04:05Z'::timestamptz as second`)

      expect(row).toEqual({
        text: 'text',
        int: 7,
        bigint: 2 ** 40,
        float: 0.5,
        bool: true,
        nothing: null,
        json: '{"b": 1}',
        time: '2026-01-02T03:04:05.060Z',
        second: '2026-01-02T03:04:05.000Z',
      })
    })

    it.each([
      [
        'every character that arrays mark themselves with',
        ['', 'a,b', '{}', '"', '\\', 'null', ' x ', '{"k": "v\\"w"}'],
      ],
      ['characters that JSON writes otherwise', ['ü🎈', '\n', '\t"\\', '\u0001', '\u007f\u2028', '\\n']],
    ])('takes arrays of texts with %s', async (_, items) => {
      const [row] = await db.query<{ back: string }>(sql`select to_jsonb(${items}::text[]) as back`)

      expect(JSON.parse(row?.back ?? '')).toEqual(items)
    })

    it('answers statements that are asked for together, each its own rows', async () => {
      const asked = Array.from({ length: 300 }, (_, n) => n)

      const answers = await Promise.all(asked.map((n) => db.query(sql`select ${n}::int as n`)))

      expect(answers).toEqual(asked.map((n) => [{ n }]))
    })

    it('lets a statement that fails fail alone', async () => {
      const [before, broken, after] = await Promise.allSettled([
        db.query(sql`select 1 as one`),
        db.query(sql`select * from svc.nowhere`),
        db.query(sql`select 3 as three`),
      ])

      expect([before.status, broken.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    })

    it('reports the state and the constraint of a failure, and goes on with the same statement', async () => {
      const insert = (id: string) => db.query(sql`insert into svc.things (id) values (${id}) returning id`)
      await insert('twice')

      const failure = await insert('twice').catch((error: unknown) => error)

      expect(failure).toBeInstanceOf(DatabaseError)
      expect(failure).toMatchObject({ sqlState: '23505', constraint: 'things_pkey' })
      expect(await insert('once')).toEqual([{ id: 'once' }])
    })

    it('plans a statement for its values where it is asked to', async () => {
      const statement = { ...textAndValues(sql`select ${5}::int + 1 as six`), planned: 'each time' } as const

      expect(await Promise.all([db.query(statement), db.query(statement)])).toEqual([[{ six: 6 }], [{ six: 6 }]])
    })

    it('carries out a batch whole or not at all', async () => {
      const broken = db.batch([
        sql`insert into svc.things (id) values ('b1')`,
        sql`insert into svc.things (id) values ('b1')`,
      ])
      await expect(broken).rejects.toMatchObject({ sqlState: '23505' })

      const results = await db.batch([
        sql`insert into svc.things (id) values ('b2') returning id`,
        sql`select count(*)::int as n from svc.things where id in ('b1', 'b2')`,
      ])

      expect(results).toEqual([[{ id: 'b2' }], [{ n: 1 }]])
    })

    it('rolls back a transaction that throws, and hides it from others until it ends', async () => {
      let seen: unknown
      const failing = db.transaction(async (tx) => {
        await tx.query(sql`insert into svc.things (id) values ('t1')`)
        seen = await tx.query(sql`select id from svc.things where id = 't1'`)
        throw new Error('changed my mind')
      })
      const meanwhile = db.query(sql`select id from svc.things where id = 't1'`)

      await expect(failing).rejects.toThrow('changed my mind')
      expect(seen).toEqual([{ id: 't1' }])
      expect(await meanwhile).toEqual([])
      expect(await db.query(sql`select id from svc.things where id = 't1'`)).toEqual([])
    })

    it('fails a transaction with its statement that fails, although its work goes on', async () => {
      const passedOver = db.transaction(async (tx) => {
        await tx.query(sql`insert into svc.things (id) values ('t2')`)
        await tx.query(sql`select 1 / 0`).catch(() => undefined)
      })
      const notWaitedFor = db.transaction(async (tx) => {
        await tx.query(sql`insert into svc.things (id) values ('t3')`)
        tx.query(sql`select 1 / 0`).catch(() => undefined)
      })

      const ends = await Promise.allSettled([passedOver, notWaitedFor])
      expect(ends).toMatchObject(Array(2).fill({ status: 'rejected', reason: { sqlState: '22012' } }))
      expect(await db.query(sql`select id from svc.things where id in ('t2', 't3')`)).toEqual([])
    })

    it('keeps the writes of transactions that run at the same time apart', async () => {
      await db.query(sql`insert into svc.things (id, n) values ('counter', 0)`)

      await Promise.all(
        Array.from({ length: 30 }, () =>
          db.transaction(async (tx) => {
            const [row] = await tx.query<{ n: number }>(sql`select n from svc.things where id = 'counter' for update`)
            await tx.query(sql`update svc.things set n = ${(row?.n ?? 0) + 1}::int where id = 'counter'`)
          }),
        ),
      )

      expect(await db.query(sql`select n from svc.things where id = 'counter'`)).toEqual([{ n: 30 }])
    })

    it('gives up a statement that takes too long with words of its own, and serves what comes after it', async () => {
      const endless = db.query(sql`select count(*)::int as n from generate_series(1, 2000000000)`)
      const failure = await endless.catch((error: DatabaseError) => error)

      expect(failure).toMatchObject({ sqlState: '57014' })
      const { code, retryAfterSeconds, message } = asSvcError(failure) ?? {}
      expect({ code, retryAfterSeconds, message }).toEqual({
        code: 'UNAVAILABLE',
        retryAfterSeconds: 1,
        message: 'The request took too long. Request less data, or filter on other fields.',
      })
      expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    })

    it('gives up a transaction with the statement that takes too long, and carries out those behind it', async () => {
      const endless = sql`select count(*)::int as n from generate_series(1, 2000000000)`
      const insert = (id: string) => sql`insert into svc.things (id) values (${id}) returning id`
      const alone = db.query(endless).catch((error: DatabaseError) => error.sqlState)
      const behind = db.transaction(async (tx) => [await tx.query(insert('behind')), await tx.query(insert('with it'))])
      const failing = db
        .transaction(async (tx) => {
          await tx.query(insert('lost'))
          await tx.query(endless)
        })
        .catch((error: DatabaseError) => error.sqlState)
      const last = db.query(insert('last'))

      expect(await alone).toBe('57014')
      expect(await behind).toEqual([[{ id: 'behind' }], [{ id: 'with it' }]])
      expect(await failing).toBe('57014')
      expect(await last).toEqual([{ id: 'last' }])
      const ids = ['behind', 'with it', 'lost', 'last']
      expect(await db.query(sql`select id from svc.things where id = any(${ids}::text[]) order by id`)).toEqual([
        { id: 'behind' },
        { id: 'last' },
        { id: 'with it' },
      ])
    })

    it('gives each statement its own time, however many are asked for together', async () => {
      // Together over the limit of one, however fast the machine; each far below it, however slow.
      const slow = sql`select 1 as n, pg_sleep(0.25)::text as slept`
      const patient = { text: 'select 2 as n, pg_sleep(2)::text as slept', values: [], patient: true }

      const all = await Promise.all([...Array.from({ length: 12 }, () => db.query(slow)), db.query(patient)])

      expect(all).toMatchObject([...Array(12).fill([{ n: 1 }]), [{ n: 2 }]])
    })

    it('carries out nothing twice that was done before a statement that takes too long', async () => {
      // An answer of PGlite is handed over in pieces of 8 KB; these end about where a piece does.
      for (let length = 8_150; length < 8_170; length++) {
        await db.query(sql`select repeat('x', ${length}::int) as text`)
      }
      const count = (id: string) => sql`
        insert into svc.things (id, n) values (${id}, 1) on conflict (id) do update set n = svc.things.n + 1`
      const endless = sql`select count(*)::int as n from generate_series(1, 2000000000)`

      const ends = await Promise.allSettled([db.query(count('done 1')), db.query(count('done 2')), db.query(endless)])

      // A committed write is answered, whatever hangs after it.
      expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
      expect(await db.query(sql`select n from svc.things where id like 'done %'`)).toEqual([{ n: 1 }, { n: 1 }])
    })

    it('carries out a statement beside a batch that fails before it comes to the same one', async () => {
      await db.query(sql`insert into svc.things (id) values ('taken')`)
      const same = sql`select 4711 as number`

      const [failed, ...others] = await Promise.allSettled([
        db.batch([sql`insert into svc.things (id) values ('taken')`, same]),
        db.query(same),
        db.query(same),
      ])

      expect(failed).toMatchObject({ status: 'rejected', reason: { sqlState: '23505' } })
      expect(others).toMatchObject(Array(2).fill({ status: 'fulfilled', value: [{ number: 4711 }] }))
    })

    it('is brought up to date by several at once, and not at all once a newer svc has been there', async () => {
      const own = await open({ maxStatementMilliseconds: 10_000 })
      await Promise.all([migrate(own), migrate(own), migrate(own)])
      await own.query(sql`insert into svc.migrations (number, name) values (999, 'from the future')`)

      await expect(migrate(own)).rejects.toBeInstanceOf(NewerDatabaseError)
      await own.close()
    })

    it('closes within seconds although maintenance is at work', async () => {
      const own = await open({ maxStatementMilliseconds: 1_500 })
      const text = 'select count(*)::int as n from generate_series(1, 2000000000)'
      const maintenance = own
        .query({ text, values: [], patient: true })
        .catch((error: unknown) => asSvcError(error)?.code)
      await new Promise((resolve) => setTimeout(resolve, 50))

      const closed = own.close().then(() => 'closed')

      expect(await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 60_000, 'too late'))])).toBe(
        'closed',
      )
      expect(await maintenance).toBe('UNAVAILABLE')
    })

    it('keeps more statements than it prepares', async () => {
      const texts = Array.from({ length: 450 }, (_, n) => ({ text: `select ${n} as n`, values: [] }))

      const answers: unknown[] = []
      for (const statement of texts) answers.push(...(await db.query(statement)))

      expect(answers).toEqual(texts.map((_, n) => ({ n })))
      expect(await db.query({ text: 'select 0 as n', values: [] })).toEqual([{ n: 0 }])
    })

    it('keeps few of those prepared whose texts name what they read', async () => {
      const texts = Array.from({ length: 60 }, (_, n) => ({
        ...{ text: `select ${n} as of_many`, values: [], planned: 'once, of many' as const },
      }))

      const [answers, kept] = await db.transaction(async (tx) => {
        const answers = await Promise.all(texts.map((statement) => tx.query<{ of_many: number }>(statement)))
        const kept = await tx.query(sql`select from pg_prepared_statements where statement like 'select % as of_many'`)
        return [answers, kept]
      })

      expect(answers.map(([row]) => row?.of_many)).toEqual(texts.map((_, n) => n))
      expect(kept).toHaveLength(maxPrepared['once, of many'])
    })

    it('contract 10.10 drops the rows of a statement that answers over 48 MB, refuses it, and answers the next one', async () => {
      // A longer limit than the others': a busy machine is slow with so much.
      const own = await open({ maxStatementMilliseconds: 120_000 })
      const rows = (count: number) => sql`select repeat('x', 1000000) as text from generate_series(1, ${count}::int)`

      await expect(own.query(rows(51))).rejects.toMatchObject({ kind: 'result too large' })
      await expect(own.transaction((tx) => tx.query(rows(51)))).rejects.toMatchObject({ kind: 'result too large' })

      expect(await own.query(rows(49))).toHaveLength(49)
      await own.close()
    })
  })
}

function textAndValues({
  text,
  values,
}: {
  text: string
  values: readonly (string | number | boolean | null | readonly string[])[]
}) {
  return { text, values }
}
