import { describe, expect, it } from 'vitest'
import type { Schema } from '../client/protocol/model/collection.js'
import type { Json } from '../client/protocol/model/json.js'
import { nameTypes } from './named-types.js'
import { nothingObserved, observe } from './observe.js'
import { documentShape, mayLack } from './shapes.js'
import { writeJsonSchema } from './writers/json-schema.js'
import { writeTypeScript } from './writers/typescript.js'
import { writeZod } from './writers/zod.js'

const id = '01999999-9999-7999-8999-999999999999'

function types(documents: readonly Json[], schema: Schema = {}, collection = 'things') {
  const seen = nothingObserved()
  for (const document of documents) observe(seen, document)
  return nameTypes([{ collection, documents: documentShape(seen, schema, { linkOf: () => undefined }) }])
}

/** The lines of the types, without what every file begins with. */
function typeScript(...given: Parameters<typeof types>): string {
  const text = writeTypeScript(types(...given), 'svc-toolkit-client')
  return text.slice(text.indexOf('/** A document')).replace(/^.*\n/, '')
}

describe('types from documents', () => {
  it('take fields that are missing somewhere for optional, and null for a value', () => {
    expect(
      typeScript([
        { a: 1.5, b: null },
        { a: 2, b: true, c: 'x' },
      ]),
    ).toBe('export interface Thing {\n  a: number\n  b: boolean | null\n  c?: string\n}\n')
  })

  it('say of mixed fields all that they are', () => {
    expect(typeScript([{ a: 1.5 }, { a: 'x' }, { a: [true] }, { a: { b: 1.5 } }])).toBe(
      'export interface Thing {\n  a: string | number | ThingA | boolean[]\n}\n\nexport interface ThingA {\n  b: number\n}\n',
    )
  })

  it.each([
    ['days', ['2026-01-31', '2026-02-01'], 'A day: `YYYY-MM-DD`.', 'string'],
    ['times', ['2026-01-31T12:00:00Z', '2026-02-01T12:00:00.5+02:00'], 'A point in time, as ISO 8601.', 'DateTime'],
    [
      'days among times',
      ['2026-01-31', '2026-02-01T12:00:00Z', '2026-02-01'],
      'A day or a point in time, as ISO 8601.',
      'DateTime',
    ],
    ['URLs', ['https://a.example/x', 'http://b.example'], 'A URL.', 'string'],
    ['files', [`http://127.0.0.1:1/files/${id}/a%20b.png`], 'The URL of a stored file.', 'FileUrl'],
    ['email addresses', ['ada@example.com', 'a.b+c@mail.example.co'], 'An email address.', 'string'],
    ['ids', [id], 'An id.', 'string'],
  ])('recognise %s', (_, values, words, type) => {
    expect(typeScript(values.map((a) => ({ a })))).toContain(`  /** ${words} */\n  a: ${type}\n`)
    expect(typeScript([...values.map((a) => ({ a })), { a: 'something else' }])).not.toContain('/**')
  })

  it.each(['2026-02-30', 'https://', 'a@b', 'not a@mail.example', '1'])('take "%s" for text', (a) => {
    expect(typeScript([{ a }])).toBe('export interface Thing {\n  a: string\n}\n')
  })

  it('take few texts that come again and again for choices', () => {
    const of = (texts: readonly string[]) => typeScript(texts.map((a) => ({ a })))
    expect(of(['x', 'y', 'x', 'y', 'x', 'y'])).toContain("  a: 'x' | 'y'\n")
    expect(of(['x', 'y', 'x', 'y', 'x'])).toContain('  a: string\n')
    // A single text is not an enum.
    expect(of(['x', 'x', 'x', 'x'])).toContain('  a: string\n')
    const eleven = Array.from({ length: 11 }, (_, at) => `t${at}`)
    expect(of([...eleven, ...eleven, ...eleven])).toContain('  a: string\n')
    const long = 'l'.repeat(41)
    expect(of([long, 'x', long, 'x', long, 'x'])).toContain('  a: string\n')
    expect(of(['', 'x', '', 'x', '', 'x'])).toContain('  a: string\n')
  })

  it.each([id, '2026-01-31', '2026-01-31T12:00:00Z', 'https://a.example/x', 'ada@example.com'])(
    'take "%s" for data beside other texts, however often it comes again',
    (text) => {
      for (const texts of [
        [text, 'none'],
        ['none', text],
      ]) {
        expect(typeScript([...texts, ...texts, ...texts].map((a) => ({ a })))).toContain('  a: string\n')
      }
    },
  )

  it('name parts for where they are, one of many in the singular', () => {
    const order = { lines: [{ product: { name: 'Tea' } }], address: { city: 'Bern' }, status: { code: 1 } }
    const text = typeScript([order], {}, 'orders')
    for (const name of ['Order', 'OrderLine', 'OrderLineProduct', 'OrderAddress', 'OrderStatus']) {
      expect(text).toContain(`export interface ${name} {`)
    }
  })

  it('give no name twice, and none that the file uses itself', () => {
    const text = writeTypeScript(
      nameTypes(
        ['links', 'post', 'posts', 'Schemas', '1st', 'a-b'].map((collection) => ({
          collection,
          documents: documentShape(seenOnce({ x: 1 }), {}, { linkOf: () => undefined }),
        })),
      ),
      'svc-toolkit-client',
    )
    expect([...text.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name)).toEqual([
      'Schema',
      'Link2',
      'Post',
      'Post2',
      'Schema2',
      'T1st',
      'AB',
    ])
    expect(text).toContain("  'a-b': AB\n")
  })

  it('take names of fields for data where they are days, numbers, ids, or many and each rare', () => {
    expect(typeScript([{ a: { '2026-01-01': 1.5, '2026-01-02': 2.5 } }])).toContain('  a: Record<string, number>\n')
    expect(typeScript([{ a: { [id]: { score: 1.5 }, '7': { score: 2.5 } } }])).toContain(
      '  a: Record<string, ThingA>\n',
    )
    const rare = Array.from({ length: 30 }, (_, at) => ({ a: { [`word${at}`]: 1.5 } }))
    expect(typeScript(rare)).toContain('  a: Record<string, number>\n')
    const mixed = rare.map((one, at) => (at % 2 === 0 ? one : { a: { [`word${at}`]: 'x' } }))
    expect(typeScript(mixed)).toContain('  a: ThingA\n')
  })

  it('hold keys that mean something elsewhere, and text that would end what it stands in', () => {
    const evil = JSON.parse(`{"__proto__":1.5,"constructor":"x","":true,"a'b":1.5,"*/ evil()":"\\u2028\\u202e"}`)
    const seen = types([evil], {}, 'x')
    const text = writeTypeScript(seen, 'svc-toolkit-client')
    expect(text).toContain(
      `  '': boolean\n  '*/ evil()': string\n  __proto__: number\n  'a\\'b': number\n  constructor: string\n`,
    )
    expect(writeZod(seen, 'svc-toolkit-client')).toContain("  ['__proto__']: z.number(),\n")
    expect(Object.keys(JSON.parse(writeJsonSchema(seen)).$defs.X.properties)).toContain('__proto__')
    const hostile = writeTypeScript(types([{}], {}, "*/ alert(1) //'\n\u202e"), 'svc-toolkit-client')
    expect(hostile).not.toContain('\u202e')
    expect(hostile).toContain("'*/ alert(1) //\\'\\n\\u202e': Alert1")
    expect(hostile).toContain("/** A document of the collection '* / alert(1) //\\'\\n\\u202e'. */")
  })

  it('take the schema for what no document shows', () => {
    const schema: Schema = {
      title: { type: 'string', required: true },
      views: { type: 'integer', default: 0 },
      at: { type: 'datetime' },
      cover: { type: 'file' },
      tags: { type: 'array' },
      more: { type: 'object' },
      rest: { type: 'any' },
    }
    expect(typeScript([], schema)).toBe(
      [
        "export interface Thing extends Defaults<'views'> {",
        '  title: string',
        '  /** An integer. */',
        '  views: number',
        '  /** A day or a point in time, as ISO 8601. */',
        '  at?: DateTime',
        '  /** The URL of a stored file. */',
        '  cover?: FileUrl',
        '  tags?: unknown[]',
        '  more?: Record<string, unknown>',
        '  rest?: unknown',
        '}',
        '',
      ].join('\n'),
    )
    // Documents that are older than the schema are as they are.
    expect(typeScript([{ title: 1.5 }, {}], { title: { type: 'string', required: true } })).toContain(
      '  title?: number | string\n',
    )
  })

  const ruled: Schema = {
    state: { type: 'string', enum: ['open', 'done'], default: 'open' },
    board: { type: 'link', to: 'boards', required: true },
    people: { type: 'link', to: 'users', many: true },
    size: { type: 'integer', enum: [1, 2] },
    age: { type: 'number', min: 0, max: 9 },
    slug: { type: 'string', minLength: 1, maxLength: 8, pattern: "[a-z']+", description: 'Short\nname */' },
    mail: { type: 'string', format: 'email' },
    place: { type: 'object', fields: { zip: { type: 'string', required: true }, at: { type: 'datetime' } } },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxLength: 3 },
  }

  it('take choices, links, limits, nested fields and items from the schema, whatever the documents say', () => {
    const board = { board: id, state: 'open', slug: 'a', size: 1, tags: ['a'], place: { zip: '1' } }
    const text = typeScript([], ruled)

    expect(typeScript([board, { ...board, slug: id, tags: [] }], ruled)).toBe(text)
    expect(text).toBe(
      [
        "export interface Thing extends Defaults<'state'> {",
        "  state: 'open' | 'done'",
        "  board: Link<'boards'>",
        "  people?: Link<'users'>[]",
        '  size?: 1 | 2',
        '  /** At least 0. At most 9. */',
        '  age?: number',
        "  /** Short name * /. At least 1 character. At most 8 characters. Matches [a-z']+. */",
        '  slug?: string',
        '  /** An email address. */',
        '  mail?: string',
        '  place?: ThingPlace',
        '  /** At most 3 items. */',
        "  tags?: ('a' | 'b')[]",
        '}',
        '',
        'export interface ThingPlace {',
        '  zip: string',
        '  /** A day or a point in time, as ISO 8601. */',
        '  at?: DateTime',
        '}',
        '',
      ].join('\n'),
    )
  })

  it('know the limits of the schema as zod and JSON Schema', () => {
    const zod = writeZod(types([], ruled), 'svc-toolkit-client')
    const { properties } = JSON.parse(writeJsonSchema(types([], ruled))).$defs.Thing

    for (const line of [
      'age: z.number().min(0).max(9).optional(),',
      'size: z.literal([1, 2]).optional(),',
      "slug: z.string().min(1).max(8).regex(new RegExp('^(?:[a-z\\']+)$', 'u')).optional().describe('Short\\nname */'),",
      "state: z.enum(['open', 'done']).default('open'),",
      "tags: z.array(z.enum(['a', 'b'])).max(3).optional(),",
      "export type Thing = z.infer<typeof Thing> & Defaults<'state'>",
      "import type { DateTime, Defaults, Link } from 'svc-toolkit-client'",
    ]) {
      expect(zod).toContain(line)
    }
    expect(properties).toMatchObject({
      state: { type: 'string', enum: ['open', 'done'], default: 'open' },
      age: { type: 'number', minimum: 0, maximum: 9 },
      size: { type: 'number', enum: [1, 2] },
      slug: { type: 'string', minLength: 1, maxLength: 8, pattern: "^(?:[a-z']+)$", description: 'Short\nname */' },
      mail: { type: 'string', format: 'email' },
      tags: { type: 'array', maxItems: 3, items: { enum: ['a', 'b'] } },
    })
  })

  it('may lack what permissions hide, wherever it lies', () => {
    const seen = nothingObserved()
    observe(seen, { salary: 1, name: 'x', lines: [{ price: 1, n: 1 }] })
    const shape = documentShape(seen, { salary: { type: 'number', required: true } }, { linkOf: () => undefined })
    const shown = [['salary'], ['lines', 'price'], ['missing', 'x']].reduce(
      (shape, path) => mayLack(shape, path),
      shape,
    )
    const text = writeTypeScript(nameTypes([{ collection: 'things', documents: shown }]), 'svc-toolkit-client')

    for (const line of ['salary?: number', 'name: string', 'price?: number', 'n: number']) expect(text).toContain(line)
  })

  it('leave what is empty open', () => {
    expect(typeScript([])).toBe('export type Thing = Fields\n')
    expect(typeScript([{ a: {}, b: [] }])).toBe(
      'export interface Thing {\n  a: Record<string, unknown>\n  b: unknown[]\n}\n',
    )
  })

  it('stop at twelve levels', () => {
    let deep: Json = 'x'
    for (let level = 0; level < 64; level++) deep = level % 2 === 0 ? { a: deep } : [deep]
    const text = typeScript([{ deep }])
    expect(text.match(/^export interface/gm)?.length).toBeLessThan(12)
  })

  it('keep many keys of one place within bounds', () => {
    const seen = nothingObserved()
    for (let at = 0; at < 5_000; at++) observe(seen, { [`key${at}`]: { value: at / 2 } })
    expect(seen.objects?.fields.size).toBe(1_000)
    const text = writeTypeScript(
      nameTypes([{ collection: 'x', documents: documentShape(seen, {}, { linkOf: () => undefined }) }]),
      'svc-toolkit-client',
    )
    expect(text).toContain('export type X = Record<string, XEntry>\n')
  })

  it('are the same in whatever order documents come', () => {
    const documents: Json[] = [{ b: 1, a: 'x' }, { a: null, c: [{ z: 1.5 }, 'y'] }, { b: 2.5 }]
    expect(typeScript(documents)).toBe(typeScript([...documents].reverse()))
  })
})

function seenOnce(document: Json) {
  const seen = nothingObserved()
  observe(seen, document)
  return seen
}
