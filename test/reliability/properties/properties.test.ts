/** Checks properties of any documents, filters, sorting and dialects, over the wire. A failure prints its seed and its smallest case. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Fields } from '../../../client/index.js'
import type { Json } from '../../../client/protocol/model/json.js'
import { matches } from '../../../client/protocol/model/matching.js'
import { parsePath } from '../../../client/protocol/model/path.js'
import { type Operator, operators, type Test, type Where } from '../../../client/protocol/model/where.js'
import { axes, axisNames, listForms } from '../../../client/protocol/wire/axes.js'
import { parseDialect } from '../../../client/protocol/wire/dialects.js'
import { encodeListQuery } from '../../../client/protocol/wire/query/encode.js'
import { formatQuery } from '../../../client/protocol/wire/query/format.js'
import { type Emulator, startEmulator } from '../../../emulator/assembly/dev.js'
import { engines } from '../../fixtures/databases/engines.js'
import { type Databases, openDatabases } from '../../fixtures/databases/shared-server.js'
import { send } from '../../fixtures/requests/http.js'
import { record } from '../ledger.js'
import { isLong, sampled } from '../scale.js'

const text = fc.oneof(
  fc.constantFrom(
    '',
    'tea',
    'Tea',
    '5',
    '1e1',
    'true',
    'null',
    '%',
    '_',
    '\\',
    '"',
    ',',
    'é',
    'İ',
    '🍵',
    'a\nb',
    '\u0001',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
)
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'n', 'tags') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '__proto__',
      'constructor',
      'data',
      'documents',
      'success',
      '$',
      'a.b',
      'limit',
      'x'.repeat(255),
    ),
  },
  { weight: 1, arbitrary: text.filter((one) => one !== '' && Buffer.byteLength(one) <= 255) },
)
const number = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
)
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    number,
    fc.constantFrom<Json>(true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<Json>,
  ),
})).value
const fields = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<Fields>

const test: fc.Arbitrary<Test> = fc
  .tuple(
    // Own times refuse texts that are not times; test/emulator/store/where-parity.test.ts covers them.
    fc.constantFrom('a', 'b', 'n', 'tags', 'a.b', 'tags.0'),
    fc.constantFrom(...operators),
    fc.array(
      // Only the last item of a list can end with a backslash.
      text.filter((one) => !one.endsWith('\\')),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([path, operator, values]) => aTest(path, operator, values))
const where: fc.Arbitrary<Where> = fc.record({
  all: fc.array(fc.record({ any: fc.array(test, { minLength: 1, maxLength: 2 }) }), { maxLength: 3 }),
})

function aTest(dotted: string, operator: Operator, values: readonly string[]): Test {
  const path = parsePath(dotted)
  const [value = ''] = values
  if (operator === 'isnull') return { path, operator, isNull: values.length % 2 === 0 }
  if (operator === 'exists') return { path, operator, exists: values.length % 2 === 0 }
  if (operator === 'in' || operator === 'notin') return { path, operator, values }
  // In a, `contains` is the one that ignores case.
  return { path, operator: operator === 'contains' ? 'icontains' : operator, value }
}

/** A form for each axis, of any kind, but for what is refused: a service that refuses does not write. */
const mixed = axisNames().filter((axis) => axis !== 'refusals')
const dialect = fc.record(Object.fromEntries(mixed.map((axis) => [axis, fc.constantFrom(...listForms(axis))]))).map(
  (forms) =>
    `a, ${Object.entries(forms)
      .map((pair) => pair.join('='))
      .join(', ')}`,
)

describe.each(isLong ? engines : (['pglite'] as const))('on %s', (engine) => {
  let server: Databases | undefined
  let emulator: Emulator

  beforeAll(async () => {
    server = engine === 'postgres' ? await openDatabases() : undefined
    emulator = await startEmulator({ memory: true, databaseUrl: server?.url, requestLog: false })
  })
  afterAll(async () => {
    await emulator.close()
    await server?.stop()
  })

  const counted = async (
    what: string,
    short: number,
    long: number,
    run: (options: ReturnType<typeof sampled>) => Promise<void>,
  ) => {
    const options = sampled(short, long)
    await run(options)
    record({ part: 'properties', what, engine, count: options.numRuns, unit: 'cases', found: { counterexamples: 0 } })
  }

  /** A collection of its own that holds these. */
  async function filled(many: readonly Fields[]) {
    const svc = createClient(emulator)
    const name = `c${randomUUID().replaceAll('-', '')}`
    await svc.collections.create({ name })
    return { name, documents: many.length > 0 ? await svc.collection(name).createMany(many) : [] }
  }

  async function listed(name: string, query: string) {
    const headers = { 'x-api-key': emulator.apiKey, 'svc-dialect': 'a' }
    const answer = await send(emulator.url, { method: 'GET', path: `/collections/${name}?${query}`, headers })
    expect(answer.status, answer.text).toBe(200)
    return answer.body as { documents: { id: string; data: Fields }[]; total: number }
  }

  it('a list holds what its filter means, and nothing else', () =>
    counted('filters over the wire', 40, 3_000, async (options) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fields, { maxLength: 8 }),
          fc.array(where, { minLength: 1, maxLength: 4 }),
          async (many, wheres) => {
            const { name, documents } = await filled(many)
            for (const where of wheres) {
              const query = formatQuery(encodeListQuery({ filters: 'double', order: 'asc' }, { where, limit: 100 }))
              const { documents: found, total } = await listed(name, query)
              const wanted = documents.filter((document) => matches(where, document as Parameters<typeof matches>[1]))
              expect(found.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort())
              expect(total).toBe(wanted.length)
            }
          },
        ),
        options,
      )
    }))

  it('the pages of a list, one after the other, are the list', () =>
    counted('pages of sorted lists', 25, 2_000, async (options) => {
      const sort = fc.constantFrom(
        '',
        'orderBy=n',
        'orderBy=n&order=desc',
        'orderBy=a.b',
        'orderBy=tags&order=desc',
        'orderBy=id',
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(fields, { minLength: 1, maxLength: 12 }),
          sort,
          fc.integer({ min: 1, max: 5 }),
          async (many, sort, size) => {
            const { name } = await filled(many)
            const whole = await listed(name, `limit=100&${sort}`)
            const pages: string[] = []
            for (let offset = 0; offset < many.length; offset += size) {
              const page = await listed(name, `limit=${size}&offset=${offset}&${sort}`)
              expect(page.total).toBe(many.length)
              pages.push(...page.documents.map(({ id }) => id))
            }
            expect(pages).toEqual(whole.documents.map(({ id }) => id))
            expect(new Set(pages).size).toBe(many.length)
          },
        ),
        options,
      )
    }))

  it('what is written in any mixture of forms is read in any other as it was', () =>
    counted('round trips through mixtures of dialects', 40, 3_000, async (options) => {
      const { name } = await filled([])
      await fc.assert(
        fc.asyncProperty(fields, dialect, dialect, async (data, one, other) => {
          const [writer, reader] = [one, other].map((dialect) =>
            createClient({ ...emulator, dialect }).collection(name),
          )
          if (!writer || !reader) return
          const { id } = await writer.create(data)
          const read = await reader.get(id)
          expect(read.data).toEqual(asShown(data, other))
          await writer.replace(id, data)
          expect((await reader.get(id)).data).toEqual(asShown(data, other))
          await writer.delete(id)
        }),
        options,
      )
    }))

  it('operators append what is not there yet, and remove every occurrence', () =>
    counted('operators', 40, 3_000, async (options) => {
      const { name, documents } = await filled([{}])
      const posts = createClient(emulator).collection(name)
      const id = documents[0]?.id ?? ''
      await fc.assert(
        fc.asyncProperty(
          fc.array(value, { maxLength: 5 }),
          fc.array(value, { maxLength: 4 }),
          fc.array(value, { maxLength: 4 }),
          async (tags, remove, append) => {
            await posts.replace(id, { tags })
            const { data } = await posts.update(id, { $remove: { tags: remove }, $append: { tags: append } })
            const left = tags.filter((tag) => !remove.some((one) => same(one, tag)))
            for (const one of append) if (!left.some((tag) => same(tag, one))) left.push(one)
            expect(data.tags).toEqual(left)
          },
        ),
        options,
      )
    }))
})

/** In flat documents, the service's own fields win over those of the same names. Contract 2.5. */
function asShown(data: Fields, dialect: string): Fields {
  if (axes.document[parseDialect(dialect).document] !== axes.document.flat) return data
  return Object.fromEntries(Object.entries(data).filter(([key]) => !['id', 'createdAt', 'updatedAt'].includes(key)))
}

/** Deep equality, written differently from the service's. */
function same(one: Json, other: Json): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${canonical(one as Json)}`)
  return `{${members.sort().join()}}`
}
