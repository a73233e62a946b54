/** Every form of every axis is decoded as it was encoded. What a form has no room for is in `losses`, with its reason. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collection } from '../model/collection.js'
import type { Document, Fields } from '../model/document.js'
import { type ErrorCode, SvcError, statuses } from '../model/errors.js'
import { type Json, type JsonObject, JsonText, writeJson } from '../model/json.js'
import type { ListQuery } from '../model/page.js'
import { formatPath, parsePath } from '../model/path.js'
import { type Clause, negate, operators, type PlainTest, type Test, type Where, withoutNot } from '../model/where.js'
import { axes, axisNames, type Dialect, listForms } from './axes.js'
import { decodeChanges, decodeNewDocument } from './body/decode.js'
import { encodeFields } from './body/encode.js'
import { dialects, formatDialect, parseDialect } from './dialects.js'
import { decodeDocument } from './document/decode.js'
import { decodeError } from './errors/decode.js'
import { decodeChange } from './frames/decode.js'
import { decodeFilters, decodeListQuery, parseQuery } from './query/decode.js'
import { encodeFilters, encodeListQuery } from './query/encode.js'
import { formatQuery } from './query/format.js'
import * as readers from './records/decode.js'
import * as answers from './records/documents.js'

/** Parts of a document that each shape drops, and why. */
const losses = {
  enveloped: ['collectionId', 'version'], // Spec, shape A: it names the collection; the version is the etag.
  snake: ['collection', 'version'], // Spec, shape B: it has the collection's id.
  flat: ['collection', 'collectionId', 'version'], // Spec, shape C: it has neither.
  deployed: ['version'], // The deployed service has no versions.
} as const

/** Every dialect that differs from a named one in one form: each cell of each axis at least once. */
const everyDialect: Dialect[] = Object.values(dialects).flatMap((dialect) =>
  axisNames().flatMap((axis) => listForms(axis).map((form) => ({ ...dialect, [axis]: form }) as Dialect)),
)

/** Other refusals do not take every request as it is meant. */
const everyMeaning = everyDialect.filter(({ refusals }) => refusals === 'spec')

const name = fc.string({ minLength: 1, unit: 'grapheme' })
const json: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('json') as fc.Arbitrary<Json>, { maxLength: 3 }),
    fc.dictionary(name, tie('json') as fc.Arbitrary<Json>, { maxKeys: 3, noNullPrototype: true }),
  ),
})).json
const fields: fc.Arbitrary<Fields> = fc.dictionary(
  fc.oneof(name, fc.constantFrom('data', '__proto__', 'constructor', 'success', 'documents')),
  json,
  { maxKeys: 5, noNullPrototype: true },
)
const time = fc
  .date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const document: fc.Arbitrary<Required<Document>> = fc.record({
  id: fc.uuid(),
  collection: name,
  collectionId: fc.uuid(),
  data: fields,
  createdAt: time,
  updatedAt: time,
  version: fc.nat(),
})

const sortField = fc.constantFrom('title', 'a.b', 'createdAt', '-minus', 'com,ma', 'a-b')
const field = fc.constantFrom(
  'status',
  'checked_in',
  'a.b',
  'createdAt',
  'x-y',
  'ü',
  'a b&c=d',
  '100%',
  'limit',
  'rank__in',
  'a_',
)
const plainTest: fc.Arbitrary<PlainTest> = fc
  .tuple(
    fc.constantFrom(...operators),
    field,
    fc.array(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.endsWith('\\')),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([operator, dotted, values]): PlainTest => {
    const path = parsePath(dotted)
    if (operator === 'exists') return { path, operator, exists: values.length > 1 }
    if (operator === 'isnull') return { path, operator, isNull: values.length > 1 }
    return operator === 'in' || operator === 'notin'
      ? { path, operator, values }
      : { path, operator, value: values[0] ?? '' }
  })
const test: fc.Arbitrary<Test> = fc.oneof(plainTest, plainTest.map(negate))
const clause = fc.record({ any: fc.array(test, { minLength: 1, maxLength: 3 }) })

/** As it goes over the wire: data as the database's text, the answer as text, read as a client does. */
const outgoing = (one: Required<Document>) => ({ ...one, data: new JsonText(JSON.stringify(one.data)) })
const overTheWire = (body: Parameters<typeof writeJson>[0]) => JSON.parse(writeJson(body)) as JsonObject

/** Decodes a response like a client. */
function read<Value>(
  reader: readers.Read<Value>,
  dialect: Dialect,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): Value {
  return reader(axes.record[dialect.record].decode(body), dialect, (header) => headers[header])
}

describe('clients decode what the service encodes in every form:', () => {
  it('documents, alone, in batches and in pages', () => {
    fc.assert(
      fc.property(fc.constantFrom(...everyDialect), fc.array(document, { maxLength: 3 }), (dialect, documents) => {
        const isFlat = dialect.document === 'flat'
        const there = documents.map((one) => ({
          ...one,
          ...Object.fromEntries(losses[dialect.document].map((name) => [name, undefined])),
          data: isFlat ? withoutOwn(one.data) : one.data,
        }))

        const batch = overTheWire(answers.encodeDocuments(dialect, documents.map(outgoing)))
        expect(read(readers.decodeAll(decodeDocument), dialect, batch)).toEqual(there)

        for (const [at, one] of documents.entries()) {
          const body = overTheWire(answers.encodeDocument(dialect, outgoing(one)))
          expect(read(decodeDocument, dialect, body)).toEqual(there[at])
        }

        const page = { items: documents.map(outgoing), total: 7, limit: 20, offset: 0 }
        const { body, headers } = answers.encodePage(dialect, page)
        const readPage = readers.decodePage('documents', decodeDocument)
        expect({ ...read(readPage, dialect, overTheWire(body), headers), offset: 0 }).toEqual({ ...page, items: there })
      }),
    )
  })

  it('collections', () => {
    const collection: Collection = {
      id: 'c1',
      name: 'posts',
      schema: { title: { type: 'string', required: true, default: 'x' } },
      permissions: { read: ['admin'] },
      createdAt: '2026-01-02T03:04:05.678Z',
      updatedAt: '2026-02-02T03:04:05.678Z',
    }
    for (const dialect of everyDialect) {
      for (const one of [collection, { ...collection, documentCount: 3 }]) {
        const body = overTheWire(answers.encodeCollection(dialect, one))
        expect(read(readers.decodeCollection, dialect, body)).toMatchObject(one)
      }
      const all = overTheWire(answers.encodeCollections(dialect, [collection]))
      expect(read(readers.decodeAll(readers.decodeCollection), dialect, all)).toMatchObject([collection])
    }
  })

  it('what was removed', () => {
    for (const dialect of everyDialect) {
      const removed = overTheWire(answers.encodeRemoved(dialect, 'document', 'd1'))
      expect(read(readers.decodeRemoved('d1'), dialect, removed)).toEqual({ id: 'd1' })
      const ids = ['d1', 'd2']
      const allRemoved = overTheWire(answers.encodeAllRemoved(dialect, ids))
      expect(read(readers.decodeAllRemoved(ids), dialect, allRemoved)).toEqual({ ids })
    }
  })

  it('errors, with the code from the header', () => {
    for (const code of Object.keys(statuses) as ErrorCode[]) {
      const issues = code === 'VALIDATION_ERROR' ? [{ path: ['a', 0, 'b'], message: 'is wrong', type: 'string' }] : []
      const error = new SvcError(code, 'is wrong', issues, { retryAfterSeconds: 3 })
      for (const format of listForms('errors')) {
        const { status, headers, body } = answers.encodeError({ errors: format, refusals: 'spec' }, error)
        const read = decodeError(status, (header) => headers[header], overTheWire(body), '')
        expect(read).toMatchObject({ code, message: 'is wrong', issues, status, retryAfterSeconds: 3 })
      }
    }
  })

  it('events', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(...everyDialect), (one, dialect) => {
        const names = axes.events[dialect.events]
        const shape = axes.document[dialect.document]
        const frame = { event: names.encode('updated'), seq: 9, document: outgoing(one) }
        const sent = overTheWire(axes.frames[dialect.frames].encode(frame, shape))
        const read = decodeChange(sent, shape.decode)

        expect(read).toMatchObject({ kind: 'updated', seq: 9, document: { id: one.id, createdAt: one.createdAt } })
        if (dialect.frames === 'message') expect(read?.document.data).toEqual(one.data)
      }),
    )
  })
})

describe('the service decodes what clients encode in every form:', () => {
  it('bodies of creates and updates', () => {
    fc.assert(
      fc.property(fc.constantFrom(...everyDialect), fields, fields, (dialect, plain, operands) => {
        expect(decodeNewDocument(dialect, overTheWire(encodeFields(dialect, plain)))).toEqual(plain)
        const update = { ...plain, $remove: operands, $append: operands, $unset: ['a', 'b.c'] }
        const changes = { fields: plain, remove: operands, append: operands, unset: ['a', 'b.c'] }
        expect(decodeChanges(dialect, overTheWire(encodeFields(dialect, update)))).toEqual(changes)
      }),
    )
  })

  it('list requests: filters, order and page', () => {
    const query: fc.Arbitrary<ListQuery> = fc.record({
      where: fc.record({ all: fc.array(clause, { maxLength: 3 }) }),
      sort: fc.array(fc.record({ path: sortField.map(parsePath), direction: fc.constantFrom('asc', 'desc') }), {
        maxLength: 3,
      }),
      limit: fc.nat(20),
      offset: fc.nat(1000),
      count: fc.boolean(),
      populate: fc.array(fc.constantFrom('author', 'author.company', 'a,b').map(parsePath), { maxLength: 2 }),
      select: fc.array(fc.constantFrom('title', 'author.name', 'a,b', '-c').map(parsePath), { maxLength: 3 }),
    })
    fc.assert(
      fc.property(fc.constantFrom(...everyMeaning), query, (dialect, asked) => {
        const unsayable = asked.where.all.flatMap(({ any }) => any).some((one) => !canSay(dialect, one))
        if (unsayable) {
          expect(() => encodeListQuery(dialect, asked)).toThrow(SvcError)
          return
        }
        const raw = formatQuery(encodeListQuery(dialect, asked))
        const read = decodeListQuery(dialect, parseQuery(raw))
        const isSingle = ({ any }: { any: readonly Test[] }) => any.length === 1
        // Alternatives travel behind what stands alone; both must hold all the same.
        const meant = understood(dialect, asked.where.all)
        const all = [...meant.filter(isSingle), ...meant.filter((clause) => !isSingle(clause))]
        // The service of dialect d has no parameter to skip the total.
        const count = asked.count || dialect.order === 'desc'
        expect(read).toEqual({ ...asked, where: { all }, count, links: axes.populate[dialect.populate].links })
      }),
    )
  })

  it('filters of realtime, where a name stands but once', () => {
    fc.assert(
      fc.property(fc.constantFrom(...everyMeaning), fc.array(clause, { maxLength: 3 }), (dialect, all) => {
        fc.pre(all.flatMap(({ any }) => any).every((one) => canSay(dialect, one)))
        const sent = JSON.parse(JSON.stringify(encodeFilters(dialect, { all })))
        expect(meaning(decodeFilters(dialect, sent))).toEqual(meaning({ all: understood(dialect, all) }))
      }),
    )
    const listed = (...values: string[]) => ({ path: parsePath('status'), operator: 'in', values }) as const
    const where = { all: [{ any: [listed('a', 'b'), listed('c')] }, { any: [listed('a,b')] }, { any: [listed('c')] }] }
    expect(meaning(decodeFilters(dialects.a, encodeFilters(dialects.a, where)))).toEqual(meaning(where))
  })

  it('dialects themselves', () => {
    for (const dialect of everyDialect) expect(parseDialect(formatDialect(dialect))).toEqual(dialect)
  })
})

/** Which operators a family of suffixes has no word for. Spec, "List query parameters". */
const unsaid: { readonly [Family in Dialect['filters']]: readonly string[] } = {
  double: [],
  single: ['startswith', 'endswith', 'notin'],
  both: [],
  any: [],
}

/** Returns the filter as the service reads it: `double` and `any` search text in any case. */
function understood({ filters }: Dialect, all: readonly Clause[]): Clause[] {
  const asRead = (one: Test): Test => {
    if (one.operator === 'not') return negate(asRead(one.test))
    if (one.operator === 'contains' && filters !== 'single' && filters !== 'both')
      return { ...one, operator: 'icontains' }
    const isEnd = one.operator === 'startswith' || one.operator === 'endswith'
    return isEnd && filters === 'any' ? { ...one, ignoresCase: true } : one
  }
  return all.map(({ any }) => ({ any: any.map(asRead) }))
}

function canSay({ filters }: Dialect, one: Test): boolean {
  const { operator, path } = withoutNot(one)
  if (operator === 'exists') return true
  // `rank__in_contains` ends in an unknown suffix of the doubled family, which is read first.
  if (filters === 'both' && operator === 'contains') return !/__|_$/.test(formatPath(path))
  // The field before a single suffix must not end in an underscore.
  if (filters === 'single' && formatPath(path).endsWith('_')) return false
  return !unsaid[filters].includes(operator)
}

function withoutOwn(data: Fields): Fields {
  return Object.fromEntries(Object.entries(data).filter(([key]) => !['id', 'createdAt', 'updatedAt'].includes(key)))
}

/** A question without what makes no difference to it: order, and what is said twice. */
function meaning({ all }: Where): string[] {
  const clauses = all.map(({ any }) => JSON.stringify([...new Set(any.map((test) => JSON.stringify(test)))].sort()))
  return [...new Set(clauses)].sort()
}
