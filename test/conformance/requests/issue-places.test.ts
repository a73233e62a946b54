import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { sendForm } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import type { Answer } from '../../fixtures/requests/http.js'
import { expectFailure, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

const schema = { title: { type: 'string', required: true }, views: { type: 'number' } }

/** The places that a refusal names. */
function placesOf(wire: Wire, answer: Answer): string[] {
  expectFailure(answer, 422, 'VALIDATION_ERROR')
  const { detail, error } = answer.body as { detail: unknown; error: { issues: unknown } }
  const issues = (wire.like === 'b' ? detail : error.issues) as { loc: unknown[]; msg: unknown; type: unknown }[]
  for (const issue of issues) {
    expect(issue).toEqual({ loc: expect.any(Array), msg: expect.stringMatching(/./), type: expect.stringMatching(/./) })
  }
  return issues.map(({ loc }) => loc.join('.'))
}

inDialects('Where something is wrong', (wire, { once }) => {
  const wraps = wire.like !== 'c'

  once('contract 10.4 in the body of a document, wrapped or not', async () => {
    const { api, posts } = await someDocuments(wire, [], { schema })
    const { id } = await posts.create({ title: 'Tea', tags: 'none' })
    const [path, one] = ['/collections/posts', `/collections/posts/${id}`]
    const places = async (method: string, to: string, body: unknown) =>
      placesOf(wire, await api.send(method, to, {}, body))

    expect(await places('POST', path, { views: 'x' })).toEqual(['body.title', 'body.views'])
    expect(await places('PATCH', one, { views: 'x' })).toEqual(['body.views'])
    expect(await places('PATCH', one, { views: 'x', $append: { a: 1 } })).toEqual(['body.views'])
    expect(await places('PATCH', one, { $append: { tags: 'a' } })).toEqual(['body.$append.tags'])
    expect(await places('PATCH', one, { $remove: { tags: 'a' } })).toEqual(['body.$remove.tags'])
    expect(await places('PATCH', one, { $append: { $remove: 1 } })).toEqual(['body.$append.$remove'])
    expect(await places('PATCH', one, { $remove: 5 })).toEqual(['body.$remove'])
    expect(await places('POST', path, { title: 'a', deep: [{ '\u0000': 1 }] })).toEqual(['body.deep.0.\u0000'])
    if (!wraps) return
    expect(await places('POST', path, { data: { views: 'x' } })).toEqual(['body.data.title', 'body.data.views'])
    expect(await places('PATCH', one, { data: { views: 'x' } })).toEqual(['body.data.views'])
    expect(await places('PUT', one, { data: { title: 5 } })).toEqual(['body.data.title'])
    const beside = { data: { a: 1 }, $append: { tags: 'a' } }
    expect(await places('PATCH', one, beside)).toEqual(['body.$append.tags'])
    const inside = { data: { $append: { tags: 'a' } } }
    expect(await places('PATCH', one, inside)).toEqual(['body.data.$append.tags'])
    const both = { data: { $append: { tags: 'a' } }, $append: { title: 'a' } }
    expect(await places('PATCH', one, both)).toEqual(['body.$append.title'])
    expect(await places('PATCH', one, { data: { $append: 5 } })).toEqual(['body.data.$append'])
    expect(await places('POST', path, { data: { $append: {} } })).toEqual(['body.data.$append'])
  })

  test('contract 10.4 in the query, with the name of the parameter', async () => {
    const { api } = await someDocuments(wire, [])
    const deep = 'populate=a.b.c.d.e.f.g'
    const isNull = wire.like === 'b' ? 'a_isnull' : 'a__isnull'
    const queries = ['limit=x', 'offset=-1', 'order=up', 'limit=1&limit=2', 'count=maybe', deep, `[or]${isNull}=x`]

    for (const query of queries) {
      const { status, body } = await api.get(`/collections/posts/documents?${query}`)
      const { error } = body as { error?: { issues: { loc: unknown }[] } }
      expect([query, status]).toEqual([query, 400])
      // The other form of errors has no place for it.
      if (wire.like !== 'b') expect(error?.issues.map(({ loc }) => loc)).toEqual([['query', query.split('=')[0]]])
    }
  })

  once('contract 10.4 in a batch, with the index or the id of the item', async () => {
    const { api, posts } = await someDocuments(wire, [], { schema })
    const one = await posts.create({ title: 'Tea', tags: 'none' })
    const two = await posts.create({ title: 'Tea', tags: 'none' })
    const creates = async (documents: unknown[]) =>
      placesOf(wire, await api.post('/collections/posts/batch', { documents }))
    const updates = async (many: object) =>
      placesOf(wire, await api.post('/collections/posts/batch/documents/update', { updates: many }))

    expect(await creates([{ title: 'a' }, { title: 5 }])).toEqual(['body.documents.1.title'])
    expect(await creates([{ title: 5 }])).toEqual(['body.documents.0.title'])
    expect(await creates([{ title: 'a' }, 5])).toEqual(['body.documents.1'])
    expect(await creates([{ title: 'a', $append: {} }])).toEqual(['body.documents.0.$append'])
    expect(await updates({ [one.id]: { $append: 5 } })).toEqual([`body.updates.${one.id}.$append`])
    expect(await updates({ [one.id]: { data: { $remove: 5 } } })).toEqual([`body.updates.${one.id}.data.$remove`])
    expect(await updates({ [one.id]: { $append: { tags: 'a' } } })).toEqual([`body.updates.${one.id}.$append.tags`])
    expect(await updates({ [one.id]: { data: { title: 'a' } }, [two.id]: { data: { title: 5 } } })).toEqual([
      `body.updates.${two.id}.data.title`,
    ])
    expect(await updates({ [one.id]: { data: { title: 5 } } })).toEqual([`body.updates.${one.id}.data.title`])
    const appends = { [one.id]: { data: { a: 1 } }, [two.id]: { $append: { tags: 'a' } } }
    expect(await updates(appends)).toEqual([`body.updates.${two.id}.$append.tags`])
    if (!wraps) return
    expect(await creates([{ title: 'a' }, { data: { title: 5 } }])).toEqual(['body.documents.1.data.title'])
    expect(await updates({ [one.id]: { title: 5 } })).toEqual([`body.updates.${one.id}.title`])
  })

  once('contract 10.4 in a form, by the name of the part', async () => {
    const { api } = await someDocuments(wire, [], { schema: { cover: { type: 'number' }, ...schema } })
    const send = async (...parts: Parameters<typeof sendForm>[3]) =>
      placesOf(wire, await sendForm(api, 'POST', '/collections/posts', parts))

    expect(await send(textOf('data', '{"title":5}'))).toEqual(['body.data.title'])
    expect(await send(textOf('data', '{"title":"a"}'), fileOf('cover'))).toEqual(['body.cover'])
    expect(await send(textOf('data', '{"title":"\\u0000"}'))).toEqual(['body.data.title'])
    expect(await send(textOf('data', '{"cover":"\\u0000"}'), fileOf('cover'))).toEqual(['body.data.cover'])
    expect(await send(textOf('data', '{"title":"a","$append":{}}'))).toEqual(['body.data.$append'])
    if (wraps) {
      const parts = [textOf('data', '{"data":{"views":"x"}}'), fileOf('cover')] as const
      expect(await send(...parts)).toEqual(['body.cover', 'body.data.data.title', 'body.data.data.views'])
    }
    expect(await send(textOf('other', 'x'))).toEqual(['body.other'])
    expect(placesOf(wire, await sendForm(api, 'POST', '/storage/upload', [fileOf('wrong')]))).toEqual(['body.file'])
  })

  once('contract 10.4 in a body that has fixed fields, by the key concerned', async () => {
    const { api, owner } = await someDocuments(wire)
    const places = async (path: string, body: unknown) => placesOf(wire, await api.post(path, body))

    expect(await places('/collections', { name: 'a', colour: 1, shape: 2 })).toEqual(['body.colour', 'body.shape'])
    expect(await places('/collections', {})).toEqual(['body.name'])
    expect(await places('/auth-collections/signup', { email: 5 })).toEqual(['body.email', 'body.password'])
    expect(await places('/auth-collections/signup', { email: 'x', password: 'Passw0rd' })).toEqual(['body.email'])
    const permissions = { read: ['admin', 5], write: [] }
    const answer = await owner.post('/collections', { name: 'a', permissions })
    expect(placesOf(wire, answer)).toEqual(['body.permissions.read.1', 'body.permissions.write'])
  })

  once('contract 10.4 in the data of a user, with the operator it stands under', async () => {
    const { anAccount } = await aTown(wire)
    const { api } = await anAccount({ data: { tags: 'none' } })
    const places = async (body: unknown) => placesOf(wire, await api.patch('/auth-collections/user', body))

    expect(await places({ $append: { tags: 'a' } })).toEqual(['body.$append.tags'])
    expect(await places({ data: { $append: { tags: 'a' } } })).toEqual(['body.data.$append.tags'])
  })

  once('contract 10.4 in a header', async () => {
    const { api } = await someDocuments(wire)
    const answer = await api.post('/collections/posts', { a: 1 }, { 'idempotency-key': 'k'.repeat(256) })

    expect(placesOf(wire, answer)).toEqual(['header.idempotency-key'])
  })
})
