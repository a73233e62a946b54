import { expect, test } from 'vitest'
import { aWorld, expectFailure, expectStatus, inDialects, type Row, type Wire } from '../../fixtures/wires.js'

const unknownId = '01900000-0000-7000-8000-000000000000'

inDialects('Populate', (wire, { once }) => {
  test('LST-05 a field that holds an id is replaced by the linked record, in the dialect’s shape', async () => {
    const { posts, ada } = await aLibrary(wire)

    const { rows } = await posts.list('populate=author&name=tea')

    expect(wire.link(rows[0]?.fields.author)).toEqual(ada)
  })

  test('LST-05 populate is repeatable, and dotted for nesting', async () => {
    const { posts, ada, acme, delft, tea } = await aLibrary(wire)

    const deep = await posts.get(tea.id, 'populate=author.company.location')
    const two = await posts.get(tea.id, 'populate=author&populate=editor')
    const both = await posts.get(tea.id, 'populate=author&populate=author.company')
    const listed = await posts.list('populate=editor,author.company&name=tea')
    const comma = await posts.create({ 'first,author': ada.id, first: ada.id })
    const escaped = await posts.get(comma.id, 'populate=first%5C,author')

    const author = wire.link(deep.fields.author)
    const company = wire.link(author.fields.company)
    expect([author.id, company.id]).toEqual([ada.id, acme.id])
    expect(wire.link(company.fields.location)).toEqual(delft)
    expect(wire.link(two.fields.author)).toEqual(ada)
    expect(wire.link(two.fields.editor).fields.name).toBe('Bob')
    expect(wire.link(wire.link(both.fields.author).fields.company)).toEqual(acme)
    expect(deep.fields.editor).toBe(tea.fields.editor)
    expect(wire.link(listed.rows[0]?.fields.editor).fields.name).toBe('Bob')
    expect(wire.link(wire.link(listed.rows[0]?.fields.author).fields.company)).toEqual(acme)
    expect([wire.link(escaped.fields['first,author']), escaped.fields.first]).toEqual([ada, ada.id])
  })

  test('LST-05 an array of ids is replaced in its order, what leads nowhere stays', async () => {
    const { posts, ada, bob } = await aLibrary(wire)
    const readers = [bob.id, unknownId, 'text', ada.id, 5, null, { id: ada.id }, bob.id, ada.id.toUpperCase()]
    const { id } = await posts.create({ readers })

    const { fields } = await posts.get(id, 'populate=readers')

    const populated = fields.readers as unknown[]
    expect(wire.link(populated[0])).toEqual(bob)
    expect(populated.slice(1, 3)).toEqual([unknownId, 'text'])
    expect(wire.link(populated[3])).toEqual(ada)
    expect(populated.slice(4, 7)).toEqual([5, null, { id: ada.id }])
    expect(wire.link(populated[7])).toEqual(bob)
    expect(populated).toHaveLength(9)
  })

  once('contract 4.6 what is no id, missing or unknown stays as it is', async () => {
    const { posts } = await aLibrary(wire)
    const fields = { a: unknownId, b: 'text', c: 5, d: null, e: { f: 'x' }, g: [], h: true, i: '', 'j.k': 1 }
    const { id } = await posts.create(fields)
    const query = [...'abcdeghi', 'missing', 'a.b.c', 'e.f', 'j'].map((name) => `populate=${name}`).join('&')

    expect((await posts.get(id, query)).fields).toEqual(fields)
  })

  test('contract 4.6 a dotted path goes through plain objects too', async () => {
    const { posts, ada } = await aLibrary(wire)
    const { id } = await posts.create({ credits: { author: ada.id } })

    const { fields } = await posts.get(id, 'populate=credits.author')

    expect(wire.link((fields.credits as { author: unknown }).author)).toEqual(ada)
  })

  test('contract 4.6 cycles stop at the depth', async () => {
    const { api, posts } = await aLibrary(wire)
    const one = await posts.create({ name: 'one' })
    const two = await posts.create({ name: 'two', next: one.id })
    await api.patch(`/collections/posts/${one.id}`, { next: two.id })

    const { fields } = await posts.get(one.id, 'populate=next.next.next.next.next')

    const names = []
    let next: unknown = fields.next
    while (typeof next === 'object' && next !== null) {
      const row: Row = wire.link(next)
      names.push(row.fields.name)
      next = row.fields.next
    }
    expect(names).toEqual(['two', 'one', 'two', 'one', 'two'])
    expect(next).toBe(one.id)
  })

  test('contract 4.6 a document that links to itself', async () => {
    const { api, posts } = await aLibrary(wire)
    const { id } = await posts.create({ name: 'self' })
    await api.patch(`/collections/posts/${id}`, { self: id })

    const { fields } = await posts.get(id, 'populate=self')

    expect(wire.link(fields.self).fields).toEqual({ name: 'self', self: id })
  })

  once('contract 4.6 depth over 5 and more than 20 paths are 400', async () => {
    const { api, posts, tea } = await aLibrary(wire)
    const paths = (count: number) => Array.from({ length: count }, (_, at) => `populate=f${at}`).join('&')

    for (const query of ['populate=a.b.c.d.e.f', paths(21), `populate=${'a,'.repeat(20)}a`]) {
      expectFailure(await posts.ask(query), 400, 'INVALID_QUERY')
      expectFailure(await api.get(`/collections/posts/${tea.id}?${query}`), 400, 'INVALID_QUERY')
    }
    expectStatus(200, await posts.ask('populate=a.b.c.d.e'))
    expectStatus(200, await posts.ask(paths(20)))
  })

  once('contract 4.6 a path that leads nowhere changes nothing', async () => {
    const { posts } = await aLibrary(wire)
    const [plain, withAuthors] = [await posts.list(), await posts.list('populate=author')]
    expect(withAuthors).not.toEqual(plain)

    for (const path of ['', '.', '.author', '__proto__', 'constructor', '"']) {
      expect({ path, ...(await posts.list(`populate=${path}`)) }).toEqual({ path, ...plain })
    }
    for (const path of ['author.', 'author..', 'author..company']) {
      expect({ path, ...(await posts.list(`populate=${path}`)) }).toEqual({ path, ...withAuthors })
    }
    expectFailure(await posts.ask('populate=%00'), 400, 'INVALID_QUERY')
  })

  once('contract 4.6 a link to another project stays an id', async () => {
    const { posts } = await aLibrary(wire)
    const stranger = await aLibrary(wire)
    const { id } = await posts.create({ author: stranger.ada.id })

    expect((await posts.get(id, 'populate=author')).fields.author).toBe(stranger.ada.id)
  })

  once('contract 4.6 a link into a collection that is gone stays an id', async () => {
    const { api, posts, ada, tea } = await aLibrary(wire)

    await api.delete('/collections/people')

    expect((await posts.get(tea.id, 'populate=author')).fields.author).toBe(ada.id)
  })

  once('contract 4.6 a populated __proto__ is data', async () => {
    const { api, posts, ada } = await aLibrary(wire)
    const created = await api.post('/collections/posts', `{"__proto__":"${ada.id}","name":"odd"}`)
    const { id } = wire.row(wire.record(created))

    const { text } = expectStatus(200, await api.get(`/collections/posts/${id}?populate=__proto__`))

    expect(text).toContain('Ada')
    expect((await posts.get(id)).fields.name).toBe('odd')
  })

  once('LST-18 a dotted name filters on the linked record’s field', async () => {
    const { posts } = await aLibrary(wire)

    expect(await posts.names('populate=author&author.role=admin&orderBy=id')).toEqual(['tea', 'milk'])
    expect((await posts.list('populate=author&author.role=admin')).total).toBe(2)
    expect(await posts.names(`populate=author&author.name${wire.mark}in=Bob,X`)).toEqual(['coffee'])
    expect(await posts.names('populate=author&author.role=admin&name=tea')).toEqual(['tea'])
    expect(await posts.names('populate=author&author.role=nobody')).toEqual([])
  })

  once('contract 4.4 a related filter reaches as far as the populate path', async () => {
    const { posts } = await aLibrary(wire)

    expect(await posts.names('populate=author.company&author.company.name=Acme&orderBy=id')).toEqual(['tea', 'milk'])
    const deep = 'populate=author.company.location&author.company.location.city=Delft&orderBy=id'
    expect(await posts.names(deep)).toEqual(['tea', 'milk'])
    expect(await posts.names('populate=author&author.company.name=Acme')).toEqual([])
  })

  once('contract 4.4 through an array of ids any of the linked records may match', async () => {
    const { posts, ada, bob } = await aLibrary(wire)
    await posts.create({ name: 'both', readers: [bob.id, ada.id] })
    await posts.create({ name: 'bob', readers: [bob.id, unknownId] })
    await posts.create({ name: 'none', readers: [] })

    expect(await posts.names('populate=readers&readers.name=Ada')).toEqual(['both'])
    expect(await posts.names('populate=readers&readers.name=Bob&orderBy=id')).toEqual(['both', 'bob'])
  })

  once('contract 4.4 without populate it is an ordinary nested field', async () => {
    const { posts } = await aLibrary(wire)
    await posts.create({ name: 'nested', author: { role: 'admin' } })

    expect(await posts.names('author.role=admin')).toEqual(['nested'])
  })

  once('contract 4.4 the linked record’s id and times are its own', async () => {
    const { posts, ada } = await aLibrary(wire)

    expect(await posts.names(`populate=author&author.id=${ada.id}&orderBy=id`)).toEqual(['tea', 'milk'])
    const made = await posts.names(`populate=author&author.createdAt=${ada.createdAt}&orderBy=id`)
    expect(made).toEqual(expect.arrayContaining(['tea', 'milk']))
    expect(await posts.names('populate=author&author.createdAt=2001-01-01T00:00:00.000Z')).toEqual([])
  })

  test('contract 1 the linked record’s times answer to both of their names', async () => {
    const { posts } = await aLibrary(wire)

    for (const time of ['createdAt', 'created_at', 'updatedAt', 'updated_at']) {
      expect(await posts.names(`populate=author&author.${time}${wire.mark}gte=2001&orderBy=id`)).toEqual([
        'tea',
        'coffee',
        'milk',
      ])
      expect(await posts.names(`populate=author&author.${time}${wire.mark}lt=2001`)).toEqual([])
    }
    const inner = 'populate=author.company&author.company.created_at'
    expect(await posts.names(`${inner}${wire.mark}gte=2001&orderBy=id`)).toEqual(['tea', 'milk'])
  })

  once('contract 4.4 related filters reach through arrays of objects, as populate does', async () => {
    const { posts, ada, bob } = await aLibrary(wire)
    await posts.create({ name: 'both', lines: [{ by: bob.id }, { by: [bob.id, ada.id] }] })
    await posts.create({ name: 'bob', lines: [{ by: bob.id }, { by: unknownId }, { 'b"y': ada.id }, 5, null] })
    await posts.create({ name: 'one', lines: { by: ada.id } })
    await posts.create({ name: 'deep', lines: [{ parts: [{ by: ada.id }] }] })
    await posts.create({ name: 'quoted', 'li"nes': [{ 'b\\y': ada.id }] })

    expect(await posts.names('populate=lines.by&lines.by.name=Ada&orderBy=id')).toEqual(['both', 'one'])
    expect(await posts.names('populate=lines.by&lines.by.name=Bob&orderBy=id')).toEqual(['both', 'bob'])
    expect(await posts.names('populate=lines.by.company&lines.by.company.name=Acme&orderBy=id')).toEqual([
      'both',
      'one',
    ])
    expect(await posts.names('populate=lines.parts.by&lines.parts.by.name=Ada')).toEqual(['deep'])
    expect(await posts.names('populate=li"nes.b%5Cy&li"nes.b%5Cy.name=Ada')).toEqual(['quoted'])
    expect(await posts.names(`populate=lines.by&lines.by.name${wire.mark}isnull=true&orderBy=id`)).toEqual([
      ...['tea', 'coffee', 'milk', 'deep', 'quoted'],
    ])
  })

  once('contract 4.4 related filters stand in or-groups too', async () => {
    const { posts } = await aLibrary(wire)

    const query = 'populate=author&[or]author.name=Bob&[or]name=milk&orderBy=id'
    expect(await posts.names(query)).toEqual(['coffee', 'milk'])
    expect(await posts.names('populate=author&author.name__or__name=Bob')).toEqual(['coffee'])
  })
})

/** Posts by authors of a company in a place. */
async function aLibrary(wire: Wire) {
  const world = await aWorld(wire)
  const [places, companies, people, posts] = [
    await world.collection('places'),
    await world.collection('companies'),
    await world.collection('people'),
    await world.collection('posts'),
  ]
  const delft = await places.create({ city: 'Delft' })
  const acme = await companies.create({ name: 'Acme', location: delft.id })
  const ada = await people.create({ name: 'Ada', role: 'admin', company: acme.id })
  const bob = await people.create({ name: 'Bob', role: 'user', company: 'none' })
  const tea = await posts.create({ name: 'tea', author: ada.id, editor: bob.id })
  const coffee = await posts.create({ name: 'coffee', author: bob.id })
  const milk = await posts.create({ name: 'milk', author: ada.id })
  return { ...world, posts, delft, acme, ada, bob, tea, coffee, milk }
}
