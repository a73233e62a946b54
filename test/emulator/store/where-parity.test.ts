import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Fields } from '../../../client/protocol/model/document.js'
import { parseInstant } from '../../../client/protocol/model/instant.js'
import type { Json } from '../../../client/protocol/model/json.js'
import { lowerCase, matches } from '../../../client/protocol/model/matching.js'
import { type Path, parsePath } from '../../../client/protocol/model/path.js'
import { markTimes } from '../../../client/protocol/model/times.js'
import { negate, type Operator, operators, type PlainTest, type Where } from '../../../client/protocol/model/where.js'
import { compileFilter } from '../../../emulator/core/realtime/matching.js'
import { type Database, joinSql, sql } from '../../../emulator/database/port.js'
import { compileWhere } from '../../../emulator/store/lists/where.js'
import { engines, type OpenedEngine, openEngine } from '../../fixtures/databases/engines.js'

// A filter means the same to a list, in SQL, and in JavaScript: to a subscription, and to a list in an app.

const texts = [
  '',
  'tea',
  'Tea',
  'te',
  'a',
  '5',
  '1e3',
  '100%',
  '10_',
  'a\\b',
  '\\',
  '"',
  '"x"',
  '[',
  ',',
  'true',
  'null',
  'ß',
  'İ',
  'i',
  'ΑΣ',
  'ας',
  'é',
  '茶',
  '🍵',
  '\uffff',
  '\u0001',
  'a\nb',
  ' 5',
  '2026-01-02T03:04:05.678Z',
] // prettier-ignore
// For a long text and a pattern that is not short, SQL uses another expression.
const longText = `${'Äb'.repeat(1_100)}"The End"`
const numbers = [0, 1, 5, 10, 100, 1000, -5, 0.1, 1.5, 1e21, -1e21, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE]
const others: readonly Json[] = [
  true,
  false,
  null,
  [],
  {},
  [[]],
  [null],
  ['tea', 5, null, true, ['deep'], { a: 'tea' }],
  [5],
  [['tea']],
  ['a"b', 'TEA\\', 'x\ny'],
  { a: 'tea' },
  { '0': 'tea' },
  ['x', 'y'],
  [1, 'x'],
  { a: { b: 'tea' } },
  [{ a: 'tea' }],
] // prettier-ignore
const longs = [longText, [longText, 'x']]
const stored: readonly Fields[] = [{}, ...[...texts, ...numbers, ...others, ...longs].map((field) => ({ field }))]

const asked = [
  ...texts,
  '0',
  '-0',
  '5.0',
  '05',
  '+5',
  '1E3',
  '1e400',
  '-1e400',
  '0.10',
  '1e-400',
  'false',
  'tru',
  'x',
  'deep',
  'b',
  '%',
  '_',
  'A"B',
  '\\"',
  'X\nY',
  '9007199254740993',
  '-1.7976931348623157e308',
  'a\0b',
  '\ud83c',
  'x'.repeat(5_000),
  longText.slice(-40),
  longText.slice(-1_000).toUpperCase(),
  longText.slice(100, 200),
  `${'Äb'.repeat(50)}c`,
] // prettier-ignore
const fields: readonly Path[] = [
  ['field'],
  ['field', '0'],
  ['field', '-1'],
  ['field', ' +0'],
  ['field', 'a'],
  ['field', 'a', 'b'],
  ['', 'x'],
  ['no\0'],
]
const ownFields: readonly Path[] = [['id'], ['createdAt'], ['updatedAt']]
/** Times of the service's own are compared as texts, however they are written. */
const writtenTimes = [
  '2026',
  '2026-01-02',
  '2026-01-02T03:04',
  '2026-01-02T03:04:01Z',
  '2026-01-02T03:04:01.007+00:00',
  '2026-01-02é',
  '2026-02-30',
  '0000-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '+012026-01-01T00:00:00.000Z',
]

// Node and PostgreSQL each bring their own Unicode, so these have case for one of them only: letters of Unicode 16 and 17.
const newLetters = /^[\u{a7cb}\u{a7ce}\u{a7d2}\u{a7d4}\u{a7da}\u{a7dc}\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}]$/u

const collection = '01900000-0000-7000-8000-000000000000'
describe.each(engines)('On %s', (engine) => {
  let opened: OpenedEngine
  let db: Database
  beforeAll(async () => {
    opened = await openEngine(engine)
    db = opened.db
  })
  afterAll(() => opened.stop())

  test.each(operators)('"%s" finds the same documents as matches does', async (operator) => {
    const documents = await store(stored)

    const own = documents.slice(0, 2).flatMap(({ id, createdAt }) => [id, id.toUpperCase(), createdAt])
    for (const path of [...fields, ...ownFields]) {
      await expectSame(
        documents,
        [...asked, ...(ownFields.includes(path) ? writtenTimes : []), ...own]
          .map((value) => ({
            all: [{ any: [aTest(path, operator, [value])] }],
          }))
          .flatMap((where) => [where, negated(where)]),
      )
    }
  })

  test.each(['in', 'notin'] as const)(
    '"%s" finds the same documents, however many values are looked for',
    async (operator) => {
      const documents = await store(stored)
      const others = Array.from({ length: 12 }, (_, at) => `nothing ${at}`)

      for (const path of fields) {
        const wheres = asked.map((value) => ({ all: [{ any: [aTest(path, operator, [value, ...others])] }] }))
        await expectSame(documents, wheres)
        await expectSame(documents, wheres, collection)
      }
    },
  )

  test('two comparisons of one field find the same documents, whatever each compares with', async () => {
    const documents = await store(stored)
    const bounds = ['', 'a', 'tea', '5', '5.0', '-1', '1e3', '1e400', '茶', 'a\0b', longText.slice(0, 700)]
    const kinds = [
      ['gte', 'lt'],
      ['gt', 'lte'],
      ['gt', 'gte'],
      ['lte', 'lt'],
    ] as const // prettier-ignore

    for (const path of [['field'], ['field', '0'], ['no\0']] as const) {
      for (const [one, other] of kinds) {
        const pairs = bounds.flatMap((value) => bounds.map((another) => [value, another] as const))
        await expectSame(
          documents,
          pairs.map(([value, another]) => ({
            all: [{ any: [aTest(path, one, [value])] }, { any: [aTest(path, other, [another])] }],
          })),
        )
      }
    }
  })

  test.each(operators)('"%s" finds the same documents by the deepest field, and by a deeper one', async (operator) => {
    const around = (value: string, levels: number) =>
      JSON.parse(`${'{"a":'.repeat(levels)}${value}${'}'.repeat(levels)}`)
    const documents = await store([{}, around('"tea"', 64), around('null', 64), around('["tea"]', 63)])
    const others = Array.from({ length: 12 }, (_, at) => `nothing ${at}`)
    const paths = ['.a'.repeat(63), `${'.a'.repeat(62)}.0`, '.a'.repeat(64), '.a'.repeat(7_999), '.'.repeat(7_999)]

    for (const path of paths.map((below) => parsePath(`a${below}`))) {
      for (const values of [['tea'], ['x'], ['tea', ...others]]) {
        const clause = { any: [aTest(path, operator, values)] }
        for (const where of [{ all: [clause] }, { all: [clause, { any: [aTest(path, 'gte', ['t'])] }] }]) {
          const wanted = expected(where, documents)
          expect(await found(where), `${path.length} segments`).toEqual(wanted)
          expect(await found(where, collection), `${path.length} segments, one by one`).toEqual(wanted)
        }
      }
    }
  })

  const zone = ['', 'Z', 'z', '+08:00', '-0330', '+14', ' 05:30', '+24:00', '+08:60', '8:00']
  const fraction = ['', '.5', '.123456', '.1234569', '.', '.5a', `.${'0'.repeat(300)}1`]
  const times = [
    ...[
      '',
      '2026',
      '02026',
      '0000',
      '0001',
      '9999',
      '2026-1',
      '2026-00',
      '2026-02',
      '2026-13',
      '2026-02-28',
      '2026-02-29',
    ],
    ...['2024-02-29', '1900-02-29', '2000-02-29', '2026-04-31', '2026-02-00', '2026-02-28 08:00', '2026-02-28T8:00'],
    ...['2026-02-28t08:00', '2026-02-28T24:00', '2026-02-28T23:60', '2026-02-28T23:59:60', '2026-02-28\n', '٢٠٢٦'],
    ...['0001-01-01T00:00+00:01', '0001-01-01T00:00-00:01', '9999-12-31T23:59-00:01', '9999-12-31T23:59:59.9999999'],
    ...zone.flatMap((at) => fraction.map((part) => `2026-02-28T08:30:15${part}${at}`)),
    ...zone.map((at) => `2026-02-28T08:30${at}`),
  ] // prettier-ignore

  test('contract 4.2 svc.instant reads the same points in time as parseInstant, and never throws', async () => {
    const someTime = fc.stringMatching(
      /^\d{4}(-[01]\d(-[0-3]\d(T[0-2]\d:[0-6]\d(:[0-6]\d(\.\d{1,9})?)?(Z|[+-][0-2]\d:?[0-6]\d)?)?)?)?$/,
    )
    const texts = [...times, ...fc.sample(someTime, 2_000), ...fc.sample(fc.string({ unit: 'binary' }), 500)]
    const asked = texts.filter((text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text))

    const rows = await db.query<{ instant: string | null }>(sql`
      select to_char(svc.instant(text) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as instant
      from unnest(${asked}::text[]) with ordinality as every (text, at)
      order by at`)

    expect(rows.map(({ instant }, at) => [asked[at], instant ?? undefined])).toEqual(
      asked.map((text) => [text, parseInstant(text)]),
    )
  })

  test.each(operators)('contract 4.2 "%s" compares the same points in time', async (operator) => {
    const values: Json[] = [...times, ...others, 2026, 'tea']
    const documents = await store([{}, ...values.map((field) => ({ field }))])
    const takesNull = /^(eq|ne|in|notin)$/.test(operator)
    const asked = times.filter((text) => parseInstant(text) !== undefined)
    const own = documents.slice(0, 3).flatMap(({ createdAt }) => [createdAt, createdAt.replace('Z', '+00:00')])

    for (const path of [['field'], ['createdAt'], ['updatedAt']] as const) {
      const compared = [...asked, ...own, ...(path[0] === 'field' && takesNull ? ['null'] : [])]
      await expectSame(
        documents,
        compared.map((value, at) => {
          const test = aTest(path, operator, [value, ...asked.slice(0, 2)])
          const where = { all: [{ any: [test] }] }
          return markTimes(at % 5 === 0 ? negated(where) : where, { field: { type: 'datetime' } })
        }),
      )
    }
  })

  test('any filter finds the same documents', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someFields, { maxLength: 12 }),
        fc.array(someWhere, { minLength: 1, maxLength: 6 }),
        async (data, wheres) => {
          const documents = await store(data)
          for (const where of wheres) expect(await found(where)).toEqual(expected(where, documents))
        },
      ),
      { numRuns: 150 },
    )
  })

  test('case is ignored for the same letters', async () => {
    // No letter after the first two planes has a case.
    const letters = Array.from({ length: 0x20000 }, (_, code) => code)
      .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
      .map((code) => String.fromCodePoint(code))
    const lowered: string[] = []
    // All of them at once may take longer than a statement may.
    for (let from = 0; from < letters.length; from += 50_000) {
      const [row] = await db.query<{ lower: string }>(sql`
        select string_agg(lower(letter collate "pg_c_utf8"), '' order by at) as lower
        from unnest(${letters.slice(from, from + 50_000)}::text[]) with ordinality as every (letter, at)`)
      lowered.push(...(row?.lower ?? ''))
    }

    const differing = letters.filter((letter, at) => lowerCase(letter) !== lowered[at])

    expect(differing.filter((letter) => !newLetters.test(letter))).toEqual([])
  })

  /** Puts these documents, and no others, in the collection. */
  async function store(data: readonly Fields[]) {
    const documents = data.map((fields, at) => ({
      id: `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      data: JSON.parse(JSON.stringify(fields)) as Fields,
      createdAt: new Date(Date.UTC(2026, 0, 2, 3, 4, at, 7 * at)).toISOString(),
      updatedAt: new Date(Date.UTC(2027, at, 2)).toISOString(),
    }))
    await db.query(sql`delete from documents`)
    await db.query(sql`
      insert into documents (id, collection_id, data, created_at, updated_at)
      select id, ${collection}::uuid, data, created_at, updated_at
      from unnest(
        ${documents.map(({ id }) => id)}::uuid[],
        ${documents.map((document) => JSON.stringify(document.data))}::jsonb[],
        ${documents.map(({ createdAt }) => createdAt)}::timestamptz[],
        ${documents.map(({ updatedAt }) => updatedAt)}::timestamptz[]
      ) as new (id, data, created_at, updated_at)`)
    return documents
  }

  /** Each filter finds in SQL what it matches in JavaScript. One statement asks for all, since a statement for each takes longer. */
  async function expectSame(documents: Documents, wheres: readonly Where[], foundIn?: string): Promise<void> {
    const conditions = wheres.map((where, at) => {
      const condition = compileWhere(where, { project: 'p', populate: [], mayReadAll: true, roles: [], foundIn })
      return sql`select ${at}::int as at, d.id from documents d where ${condition}`
    })
    const rows = await db.query<{ at: number; id: string }>(sql`${joinSql(conditions, ' union all ')} order by at, id`)

    const found: string[][] = wheres.map(() => [])
    for (const { at, id } of rows) found[at]?.push(id)
    for (const [at, where] of wheres.entries()) {
      const [ids, wanted] = [found[at]?.join(), expected(where, documents).join()]
      if (ids !== wanted) expect(ids, `${JSON.stringify(where)} ${foundIn ?? ''}`).toBe(wanted)
    }
  }

  async function found(where: Where, foundIn?: string): Promise<string[]> {
    const condition = compileWhere(where, { project: 'p', populate: [], mayReadAll: true, roles: [], foundIn })
    const rows = await db.query<{ id: string }>(sql`select d.id from documents d where ${condition} order by d.id`)
    return rows.map(({ id }) => id)
  }
})

type Documents = readonly Parameters<typeof matches>[1][]

function expected(where: Where, documents: Documents): string[] {
  const idsOf = (found: Documents) => found.map(({ id }) => id)
  const inApp = idsOf(documents.filter((document) => matches(where, document)))
  const live = idsOf(documents.filter(compileFilter(where)))
  if (live.join() !== inApp.join()) expect(live, JSON.stringify(where)).toEqual(inApp)
  return inApp
}

function negated({ all }: Where): Where {
  return { all: all.map(({ any }) => ({ any: any.map(negate) })) }
}

function aTest(path: Path, operator: Operator, values: readonly string[]): PlainTest {
  const [value = ''] = values
  if (operator === 'isnull') return { path, operator, isNull: value.length % 2 === 0 }
  if (operator === 'exists') return { path, operator, exists: value.length % 2 === 0 }
  return operator === 'in' || operator === 'notin' ? { path, operator, values } : { path, operator, value }
}

// Few letters and names, so that filters match documents.
const someText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aAéİΣ%_\\"🍵\uffff5'), maxLength: 4 }),
  fc.constantFrom('5', '10', '1e1', 'true', 'null', ''),
)
const someName = fc.constantFrom('a', 'b', '0', '__proto__')
const someValue = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    someText,
    fc.integer({ min: -10, max: 10 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(someName, tie('value'), { maxKeys: 3 }),
  ),
})).value
const someFields = fc.dictionary(someName, someValue, { maxKeys: 3 })
const somePath = fc.tuple(someName, fc.array(someName, { maxLength: 2 })).map(([first, rest]): Path => [first, ...rest])
const someTest = fc
  .tuple(somePath, fc.constantFrom(...operators), fc.array(someText, { minLength: 1, maxLength: 14 }))
  .map(([path, operator, values]) => aTest(path, operator, values))
  .chain((test) => fc.constantFrom(test, negate(test)))
const someWhere = fc.record({
  all: fc.array(fc.record({ any: fc.array(someTest, { maxLength: 3 }) }), { maxLength: 3 }),
})
