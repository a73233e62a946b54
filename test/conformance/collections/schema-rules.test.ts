import { expect, test } from 'vitest'
import { aWorld, expectFailure, expectStatus, inDialects, someDocuments } from '../../fixtures/wires.js'
import { expectValues } from './field-values.js'

const unknownId = '01900000-0000-7000-8000-000000000000'

/** Values that each rule takes, and refuses. */
const rules: readonly (readonly [string, object, readonly unknown[], readonly unknown[]])[] = [
  ['enum of texts', { type: 'string', enum: ['red', 'blue'] }, ['red'], ['green', 'Red', '', 5, null]],
  ['enum of numbers', { type: 'integer', enum: [1, 2] }, [2], [3, '1']],
  ['enum of anything', { type: 'any', enum: [null, { a: [1], b: 2 }] }, [null, { b: 2, a: [1] }], [{ a: [1] }, 'x']],
  ['min and max', { type: 'number', min: 1, max: 2.5 }, [1, 2.5], [0.9, 2.6, -5, '1']],
  ['length of text', { type: 'string', minLength: 2, maxLength: 3 }, ['ab', '😀é😀'], ['😀', 'abcd', '']],
  ['length of arrays', { type: 'array', minLength: 1, maxLength: 2 }, [[1], [1, 'a']], [[], [1, 2, 3]]],
  ['pattern', { type: 'string', pattern: '[a-z]+(?:-[a-z]+)*' }, ['a', 'ab-c'], ['', 'A', 'a-', 'a b', '-a\n']],
  ['format email', { type: 'string', format: 'email' }, ['kim@example.com'], ['kim', 'kim@', '@x.de', 'a b@x.de', '']],
  [
    'format url',
    { type: 'string', format: 'url' },
    ['https://a.example/b?c=1'],
    ['a.example', 'javascript:alert(1)', ''],
  ],
  [
    'format date',
    { type: 'string', format: 'date' },
    ['2024-02-29'],
    ['2025-02-29', '2026-01-31T08:30:00Z', '31.1.2026'],
  ],
  ['format markdown', { type: 'string', format: 'markdown' }, ['# Tea', ''], [5]],
  ['items', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, [[], ['a', 'b', 'a']], [['c'], [1], 'a']],
  [
    'fields',
    { type: 'object', fields: { zip: { type: 'string', required: true, maxLength: 5 } } },
    [{ zip: '12345' }, { zip: '1', other: 1 }],
    [{}, { zip: 5 }, { zip: '123456' }, []],
  ],
]

/** Options that contradict others, and the place of the refusal in the rule of the field. */
const contradictions: readonly (readonly [object, string])[] = [
  [{ type: 'string', min: 1 }, '"min"'],
  [{ type: 'boolean', max: 1 }, '"max"'],
  [{ type: 'number', minLength: 1 }, '"minLength"'],
  [{ type: 'object', maxLength: 1 }, '"maxLength"'],
  [{ type: 'number', pattern: 'a' }, '"pattern"'],
  [{ type: 'datetime', format: 'date' }, '"format"'],
  [{ type: 'string', fields: {} }, '"fields"'],
  [{ type: 'object', items: { type: 'string' } }, '"items"'],
  [{ type: 'string', to: 'users' }, '"to"'],
  [{ type: 'string', many: true }, '"many"'],
  [{ type: 'string', onDelete: 'keep' }, '"onDelete"'],
  [{ type: 'file', enum: ['a'] }, '"enum"'],
  [{ type: 'link' }, '"to"'],
  [{ type: 'link', to: 'nowhere' }, '"to"'],
  [{ type: 'link', to: unknownId }, '"to"'],
  [{ type: 'integer', enum: [1, 'a'] }, '"enum",1'],
  [{ type: 'string', enum: ['a', 'a'] }, '"enum",1'],
  [{ type: 'string', enum: [] }, '"enum"'],
  [{ type: 'number', min: 2, max: 1 }, '"max"'],
  [{ type: 'string', minLength: 2, maxLength: 1 }, '"maxLength"'],
  [{ type: 'string', minLength: -1 }, '"minLength"'],
  [{ type: 'string', minLength: 1.5 }, '"minLength"'],
  [{ type: 'string', pattern: '(' }, '"pattern"'],
  [{ type: 'string', pattern: '(a)\\1' }, '"pattern"'],
  [{ type: 'string', pattern: '(?=a)a' }, '"pattern"'],
  [{ type: 'string', pattern: '((a{99}){99}){99}' }, '"pattern"'],
  [{ type: 'string', pattern: 'a'.repeat(201) }, '"pattern"'],
  [{ type: 'string', format: 'phone' }, '"format"'],
  [{ type: 'string', enum: ['a'], default: 'b' }, '"default"'],
  [{ type: 'number', min: 1, default: 0 }, '"default"'],
  [{ type: 'array', items: { type: 'string' }, default: ['a', 5] }, '"default",1'],
  [{ type: 'object', unique: true }, '"unique"'],
  [{ type: 'datetime', unique: true }, '"unique"'],
  [{ type: 'link', to: 'users', many: true, unique: true }, '"unique"'],
  [{ type: 'link', to: 'users', many: true, onDelete: 'delete' }, '"onDelete"'],
  [{ type: 'array', items: { type: 'link', to: 'users', onDelete: 'delete' } }, '"items","onDelete"'],
  [
    { type: 'array', items: { type: 'object', fields: { a: { type: 'link', to: 'users', onDelete: 'delete' } } } },
    '"items","fields","a","onDelete"',
  ],
  [{ type: 'link', to: 'users', required: true, onDelete: 'unset' }, '"onDelete"'],
  [{ type: 'link', to: 'users', onDelete: 'forget' }, '"onDelete"'],
  [{ type: 'array', items: { type: 'string', required: true } }, '"items","required"'],
  [{ type: 'array', items: { type: 'string', default: 'a' } }, '"items","default"'],
  [{ type: 'array', items: { type: 'string', unique: true } }, '"items","unique"'],
  [{ type: 'array', items: { type: 'link', to: 'nowhere' } }, '"items","to"'],
  [{ type: 'object', fields: { $append: { type: 'string' } } }, '"fields","$append"'],
  [{ type: 'object', fields: { a: { type: 'string', unique: true } } }, '"fields","a","unique"'],
  [{ type: 'object', fields: { a: { type: 'string', default: 'x' } } }, '"fields","a","default"'],
  [{ type: 'object', fields: { a: { type: 'string', min: 1 } } }, '"fields","a","min"'],
  [nested(10), `${'"fields","a",'.repeat(9)}"fields"`],
]

/** An object with this many objects within each other. */
function nested(levels: number): object {
  return levels === 0 ? { type: 'string' } : { type: 'object', fields: { a: nested(levels - 1) } }
}

inDialects('Schema rules', (wire, { once }) => {
  test.each(rules)('contract 13.1 %s takes its values, and any other is 422 at its field', (_, rule, good, bad) =>
    expectValues(wire, rule, good, bad),
  )

  test('contract 13.1 a value inside objects and arrays is refused at its place', async () => {
    const zip = { type: 'string', maxLength: 5 }
    const schema = {
      address: { type: 'object', fields: { zip } },
      tags: { type: 'array', items: { type: 'string' } },
      people: { type: 'array', items: { type: 'object', fields: { age: { type: 'integer', min: 0 } } } },
    }
    const { api } = await someDocuments(wire, [], { schema })

    const answer = await api.post('/collections/posts', {
      address: { zip: '123456' },
      tags: ['a', 'b', 3],
      people: [{}, { age: -1 }],
    })

    expectFailure(answer, 422, 'VALIDATION_ERROR')
    expect(answer.text).toContain('"loc":["body","address","zip"]')
    expect(answer.text).toContain('"loc":["body","tags",2]')
    expect(answer.text).toContain('"loc":["body","people",1,"age"]')
  })

  once('contract 13.1 a refusal says which values are valid', async () => {
    const schema = { points: { type: 'integer', min: 1 }, color: { type: 'string', enum: ['red', 'blue'] } }
    const { api } = await someDocuments(wire, [], { schema })

    const { text } = await api.post('/collections/posts', { points: 0, color: 'green' })

    expect(text.replaceAll('\\"', '"')).toContain('"points" must be at least 1')
    expect(text.replaceAll('\\"', '"')).toContain('"color" must be one of "red", "blue"')
  })

  once('contract 13.1 a refusal of many values stays short', async () => {
    const long = Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(2_000, 'x'))
    const schema = { colors: { type: 'array', items: { type: 'string', enum: long } } }
    const { api } = await someDocuments(wire, [], { schema })

    const refused = await api.post('/collections/posts', { colors: Array(2_000).fill('green') })

    expectFailure(refused, 422, 'VALIDATION_ERROR')
    expect(refused.text).toContain('must be one of \\"0xxx')
    expect(refused.text.length).toBeLessThan(4_000_000)
  })

  once('contract 13.1 a pattern cannot hold up the service', async () => {
    const { api } = await someDocuments(wire, [], { schema: { name: { type: 'string', pattern: '(?:(?:a+)+)+b' } } })

    expectFailure(await api.post('/collections/posts', { name: 'a'.repeat(50_000) }), 422, 'VALIDATION_ERROR')
    expectStatus(201, await api.post('/collections/posts', { name: `${'a'.repeat(50_000)}b` }))
    expectStatus(201, await api.post('/collections/posts', { name: `${'a'.repeat(900_000)}b` }))
  })

  once('contract 13.1 the patterns of one document, and of all documents of a write, take bounded work', async () => {
    const schema = { name: { type: 'string', pattern: '[ab]*a[ab]{250}' } }
    const { api } = await someDocuments(wire, [], { schema })
    const named = (length: number) => ({ name: scrambled(length) })

    expectFailure(await api.post('/collections/posts', named(40_000)), 422, 'VALIDATION_ERROR')
    const many = await api.post('/collections/posts/batch', { documents: Array(20).fill(named(4_000)) })
    expect([many.status, many.text]).toEqual([422, expect.stringContaining('Send fewer')])
    expect((await api.get('/collections/posts/query/documents/count')).text).toContain(':0')
  })

  once('contract 13.1 options that contradict each other are 422 at their line, and nested ones too', async () => {
    const { api } = await someDocuments(wire)

    for (const [rule, place] of contradictions) {
      const schema = { field: rule }
      for (const answer of [
        await api.post('/collections', { name: 'others', schema }),
        await api.patch('/api/collections/posts', { schema }),
      ]) {
        expect([rule, answer.status]).toEqual([rule, 422])
        expect(answer.text).toContain(`"loc":["body","schema","field",${place}`)
      }
    }
    expectFailure(await api.get('/api/collections/others'), 404, 'NOT_FOUND')
    expectStatus(200, await api.patch('/api/collections/posts', { schema: { field: nested(9) } }))
  })

  once('contract 13.1 rules are shown as they were sent, and the fields in their order', async () => {
    const schema = {
      title: { type: 'string', required: true, minLength: 1, maxLength: 80, description: 'Shown in lists' },
      body: { type: 'string', format: 'markdown' },
      age: { type: 'integer', min: 0, max: 9 },
      tags: { type: 'array', items: { type: 'string', enum: ['b', 'a'] } },
      author: { type: 'link', to: 'users', onDelete: 'unset' },
      slug: { type: 'string', unique: true, pattern: '[a-z]+' },
    }
    const { api } = await aWorld(wire)

    const settings = { schema, unique: [['title', 'age']], title: 'title' }
    const created = wire.record(expectStatus(201, await api.post('/collections', { name: 'others', ...settings })))
    const kept = wire.record(expectStatus(200, await api.get('/api/collections/others')))

    for (const record of [created, kept]) {
      expect(record).toMatchObject(settings)
      expect(Object.keys((record as { schema: object }).schema)).toEqual(Object.keys(schema))
    }
  })

  once(
    'contract 13.1 unique rules and the title name fields of the schema that can be unique, or are texts',
    async () => {
      const { api } = await aWorld(wire)
      const schema = { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'array' } }
      const bad: readonly (readonly [object, string])[] = [
        [{ unique: [['a', 'x']] }, '"unique",0,1'],
        [{ unique: [['a', 'c']] }, '"unique",0,1'],
        [{ unique: [['a', 'a']] }, '"unique",0,1'],
        [
          {
            unique: [
              ['a', 'b'],
              ['b', 'a'],
            ],
          },
          '"unique",1',
        ],
        [{ unique: ['a'] }, '"unique",0'],
        [{ title: 'x' }, '"title"'],
        [{ title: 'c' }, '"title"'],
        [{ title: 5 }, '"title"'],
      ]
      expectStatus(201, await api.post('/collections', { name: 'notes', schema }))

      for (const [settings, place] of bad) {
        for (const answer of [
          await api.post('/collections', { name: 'others', schema, ...settings }),
          await api.patch('/collections/notes', settings),
        ]) {
          expect([settings, answer.status]).toEqual([settings, 422])
          expect(answer.text).toContain(`"loc":["body",${place}`)
        }
      }
    },
  )

  once('contract 13.1 a change is checked with the settings that stay, and each can be taken away', async () => {
    const { api } = await aWorld(wire)
    const schema = { a: { type: 'string' }, b: { type: 'number' } }
    const settings = { schema, unique: [['a', 'b']], title: 'a' }
    expectStatus(201, await api.post('/collections', { name: 'notes', ...settings }))
    const patch = (body: object) => api.patch('/collections/notes', body)

    expectFailure(await patch({ schema: { b: { type: 'number' } } }), 422, 'VALIDATION_ERROR')
    expectFailure(await patch({ schema: { ...schema, b: { type: 'array' } } }), 422, 'VALIDATION_ERROR')
    expect(wire.record(expectStatus(200, await patch({ name: 'notes' })))).toMatchObject(settings)
    const cleared = wire.record(expectStatus(200, await patch({ unique: [], title: null, schema: {} })))

    expect(cleared).toMatchObject({ schema: {} })
    expect(cleared).not.toHaveProperty('unique')
    expect(cleared).not.toHaveProperty('title')
  })

  once('contract 13.2 a hidden field cannot be unique, whichever is set first', async () => {
    const { owner } = await aWorld(wire)
    const slug = { type: 'string', unique: true }
    const schema = { a: { type: 'string' }, b: { type: 'string' } }
    const hide = (field: string) => ({ permissions: { hidden: { [field]: ['admin'] } } })
    const create = (name: string, settings: object) => owner.post('/collections', { name, ...settings })
    expectStatus(201, await create('hiding', { schema, ...hide('a') }))
    expectStatus(201, await create('fields', { schema: { slug } }))
    expectStatus(201, await create('rules', { schema, unique: [['a', 'b']] }))

    for (const [answer, place] of [
      [await create('both', { schema: { slug }, ...hide('slug') }), '"schema","slug","unique"'],
      [await owner.patch('/collections/hiding', { schema: { a: slug } }), '"schema","a","unique"'],
      [await owner.patch('/collections/hiding', { unique: [['b', 'a']] }), '"unique",0,1'],
      [await owner.patch('/collections/fields', hide('slug')), '"permissions","hidden","slug"'],
      [await owner.patch('/collections/rules', hide('b')), '"permissions","hidden","b"'],
    ] as const) {
      expectFailure(answer, 422, 'VALIDATION_ERROR')
      expect(answer.text).toContain(`"loc":["body",${place}]`)
    }
    expectStatus(200, await owner.patch('/collections/fields', hide('other')))
  })

  once('contract 13.2 an update is checked in the fields that it sends', async () => {
    const { api, posts, rows } = await someDocuments(wire, [{ points: 0, tags: ['x'], note: 'a' }])
    const id = rows[0]?.id ?? ''
    const path = `/collections/posts/${id}`
    const schema = {
      points: { type: 'integer', min: 1 },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      title: { type: 'string', required: true },
    }
    expectStatus(200, await api.patch('/api/collections/posts', { schema }))

    expectStatus(200, await api.patch(path, { note: 'b' }))
    const updates = { [id]: { data: { note: 'c' } } }
    expectStatus(200, await api.post('/collections/posts/batch/documents/update', { updates }))
    for (const refused of [
      await api.patch(path, { points: 0 }),
      await api.patch(path, { title: 5 }),
      await api.patch(path, { $append: { tags: 'b' } }),
      await api.patch(path, { note: 'd', points: -1 }),
      await api.post('/collections/posts', { points: 1 }),
    ]) {
      expectFailure(refused, 422, 'VALIDATION_ERROR')
    }
    expectStatus(200, await api.patch(path, { $remove: { tags: 'x' }, points: 2 }))

    expect((await posts.get(id)).fields).toEqual({ points: 2, tags: [], note: 'c' })
  })
})

inDialects('Targets of links', (wire, { once }) => {
  once('contract 13.1 links lead to a collection by name or id, to their own, or to users, at any depth', async () => {
    const { api, posts } = await someDocuments(wire)
    const link = (to: string) => ({ type: 'link', to })
    const schema = {
      post: link('posts'),
      same: link(posts.id),
      parent: link('notes'),
      author: link('users'),
      more: { type: 'array', items: link('posts') },
      deep: { type: 'object', fields: { post: link(posts.id) } },
    }
    const named = { ...schema, same: link('posts'), deep: { type: 'object', fields: { post: link('posts') } } }

    const created = wire.record(expectStatus(201, await api.post('/collections', { name: 'notes', schema })))
    const listed = wire.record(expectStatus(200, await api.get('/collections'))) as { name: string }[]

    expect(created).toMatchObject({ schema: named })
    expect(wire.record(expectStatus(200, await api.get('/api/collections/notes')))).toMatchObject({ schema: named })
    expect(listed.find(({ name }) => name === 'notes')).toMatchObject({ schema: named })
    expect(wire.record(expectStatus(200, await api.patch('/collections/notes', { schema: named })))).toMatchObject({
      schema: named,
    })
  })

  test('contract 13.1 a link follows its collection when it is renamed, and shows the id of one that is gone', async () => {
    const { api, posts } = await someDocuments(wire)
    const schema = { post: { type: 'link', to: 'posts' }, parent: { type: 'link', to: 'notes' } }
    expectStatus(201, await api.post('/collections', { name: 'notes', schema }))
    const targets = async (name: string) => {
      const { schema } = wire.record(await api.get(`/api/collections/${name}`)) as {
        schema: Record<string, { to: string }>
      }
      return [schema.post?.to, schema.parent?.to]
    }

    expectStatus(200, await api.patch('/collections/posts', { name: 'articles' }))
    expectStatus(200, await api.patch('/collections/notes', { name: 'memos' }))
    const renamed = await targets('memos')
    expectStatus(wire.statuses.removedCollection, await api.delete('/collections/articles'))
    expectStatus(201, await api.post('/collections', { name: 'articles' }))
    const gone = await targets('memos')

    expect(renamed).toEqual(['articles', 'memos'])
    expect(gone).toEqual([posts.id, 'memos'])
    const again = { post: { type: 'link', to: posts.id }, parent: { type: 'link', to: 'memos' } }
    expectStatus(200, await api.patch('/collections/memos', { schema: again }))
    expectFailure(await api.patch('/collections/articles', { schema: again }), 422, 'VALIDATION_ERROR')
  })

  once('contract 13.1 the word users means the users, although a collection has that name', async () => {
    const { api } = await aWorld(wire)
    const { id } = wire.record(expectStatus(201, await api.post('/collections', { name: 'users' }))) as { id: string }
    const schema = { user: { type: 'link', to: 'users' }, row: { type: 'link', to: id } }

    const created = expectStatus(201, await api.post('/collections', { name: 'notes', schema }))

    expect(wire.record(created)).toMatchObject({ schema })
  })
})

/** Letters without a period, from a linear congruential generator. */
function scrambled(length: number): string {
  let seed = 1
  const letters = Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed > 1_073_741_824 ? 'a' : 'b'
  })
  return letters.join('')
}
