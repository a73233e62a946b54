import { expect, test } from 'vitest'
import { aTown } from '../../fixtures/accounts.js'
import { sendForm } from '../../fixtures/files.js'
import { textOf } from '../../fixtures/requests/form.js'
import { expectFailure, expectStatus, type Fields, inDialects, someDocuments, type Wire } from '../../fixtures/wires.js'

inDialects('Unset fields', (wire, { once, inTurn }) => {
  const cases: readonly (readonly [string, Fields, Fields, Fields])[] = [
    ['takes fields away', { a: 1, b: null, c: 3 }, { $unset: ['a', 'b'] }, { c: 3 }],
    ['takes one name too', { a: 1, b: 2 }, { $unset: 'a' }, { b: 2 }],
    ['applies last', { a: [1], b: 2 }, { b: 5, $append: { a: 2 }, $unset: ['a', 'b'] }, {}],
    ['leaves the other operators alone', { a: [1], b: 2 }, { $append: { a: 2 }, $unset: ['b'] }, { a: [1, 2] }],
    ['ignores a missing field', { a: 1 }, { $unset: ['b', 'toString'] }, { a: 1 }],
    ['a dotted name is a field of that name', { a: { b: 1 }, 'a.b': 2 }, { $unset: ['a.b'] }, { a: { b: 1 } }],
    ['__proto__ is a field of that name', JSON.parse('{"__proto__":1,"a":2}'), { $unset: ['__proto__'] }, { a: 2 }],
    ['of nothing changes nothing', { a: 1 }, { $unset: [] }, { a: 1 }],
  ] // prettier-ignore

  test.each(inTurn(cases))('contract 13.6 $unset %s', async (_, before, sent, after) => {
    const { api, posts, rows } = await someDocuments(wire, [before])
    const [{ id } = { id: '' }] = rows

    const answer = wire.row(wire.record(expectStatus(200, await api.patch(`/collections/posts/${id}`, sent))))

    expect(answer.fields).toEqual(after)
    expect((await posts.get(id)).fields).toEqual(after)
  })

  test('contract 13.6 $unset works beside and inside data, in batches, forms, merging puts and users', async () => {
    const { api, posts, rows } = await someDocuments(wire, [
      { a: 1, b: 2 },
      { a: 1, b: 2 },
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ])
    const [one, two, three, four] = rows.map(({ id }) => id)
    const fieldsOf = async (id = '') => (await posts.get(id)).fields

    if (wire.like !== 'c') {
      expectStatus(200, await api.patch(`/collections/posts/${one}`, { data: { b: 3 }, $unset: ['a'] }))
      expect(await fieldsOf(one)).toEqual({ b: 3 })
      expectStatus(200, await api.patch(`/collections/posts/${one}`, { data: { c: 3, $unset: ['b'] } }))
      expect(await fieldsOf(one)).toEqual({ c: 3 })
    }
    const updates = { [two ?? '']: { data: { c: 1 }, $unset: ['a'] }, [three ?? '']: { data: { $unset: ['b'] } } }
    expectStatus(200, await api.post('/collections/posts/batch/documents/update', { updates }))
    expect([await fieldsOf(two), await fieldsOf(three)]).toEqual([{ b: 2, c: 1 }, { a: 1 }])
    const form = [textOf('data', JSON.stringify({ $unset: ['a'] }))]
    expectStatus(200, await sendForm(api, 'PATCH', `/collections/posts/${four}`, form))
    expect(await fieldsOf(four)).toEqual({ b: 2 })
    const put = { 'svc-dialect': `${wire.name}, put=merge` }
    expectStatus(200, await api.put(`/collections/posts/${four}`, { c: 1, $unset: ['b'] }, put))
    expect(await fieldsOf(four)).toEqual({ c: 1 })

    const { anAccount } = await aTown(wire)
    const ada = await anAccount({ data: { city: 'Ulm', n: 1 } })
    const user = expectStatus(200, await ada.api.patch('/auth-collections/user', { data: { $unset: ['city'] } }))
    expect((wire.record(user) as { data: Fields }).data).toEqual({ n: 1 })
  })

  once('contract 13.6 unsetting a required field is refused, even one with a default, and names it', async () => {
    const { api, posts, rows } = await someDocuments(
      wire,
      [
        { title: 'x', size: 5, note: 'n' },
        { title: 'y', size: 1 },
      ],
      {
        schema: {
          title: { type: 'string', required: true },
          size: { type: 'number', required: true, default: 1 },
          note: { type: 'string' },
        },
      },
    )
    const [{ id } = { id: '' }, other] = rows

    for (const name of ['title', 'size']) {
      const answer = await api.patch(`/collections/posts/${id}`, { $unset: ['note', name] })
      expectFailure(answer, 422, 'VALIDATION_ERROR')
      expect(places(wire, answer.body)).toEqual([[name]])
      const updates = { [id]: { data: { $unset: ['note'] } }, [other?.id ?? '']: { data: { $unset: [name] } } }
      const batch = await api.post('/collections/posts/batch/documents/update', { updates })
      expectFailure(batch, 422, 'VALIDATION_ERROR')
      expect(places(wire, batch.body)).toEqual([['updates', other?.id, 'data', name]])
    }
    expect((await posts.get(id)).fields).toEqual({ title: 'x', size: 5, note: 'n' })
    expectStatus(200, await api.patch(`/collections/posts/${id}`, { $unset: ['note'] }))
  })

  test('contract 13.6 only names are taken, and only in updates', async () => {
    const { api, rows } = await someDocuments(wire, [{ a: 1 }])
    const path = `/collections/posts/${rows[0]?.id}`

    for (const $unset of [5, null, { a: true }, ['a', 5], [['a']]]) {
      expectFailure(await api.patch(path, { $unset }), 422, 'VALIDATION_ERROR')
    }
    expectFailure(await api.post('/collections/posts', { $unset: ['a'] }), 422, 'VALIDATION_ERROR')
    expectFailure(
      await api.put(path, { $unset: ['a'] }, { 'svc-dialect': `${wire.name}, put=replace` }),
      422,
      'VALIDATION_ERROR',
    )
    expectFailure(await api.patch(path, { $append: { $unset: 1 } }), 422, 'VALIDATION_ERROR')
  })

  once('contract 13.6 hidden and read-only fields cannot be unset', async () => {
    const { anAccount, owner, collection } = await aTown(wire)
    const permissions = { hidden: { salary: [], 'profile.iban': [] }, readonly: { price: [] } }
    const posts = await collection('posts', { permissions })
    const whole = { salary: 1, price: 2, profile: { iban: 'x', city: 'Ulm' }, name: 'a', note: 1 }
    const { id } = await posts.create(whole)
    const ada = await anAccount()
    const path = `/collections/posts/${id}`

    for (const name of ['salary', 'price', 'profile']) {
      expectFailure(await ada.api.patch(path, { $unset: ['note', name] }), 403, 'FORBIDDEN')
    }
    expect((await posts.get(id)).fields).toEqual(whole)
    expectStatus(200, await ada.api.patch(path, { $unset: ['note'] }))
    expectStatus(200, await owner.patch(path, { $unset: ['salary', 'price', 'profile'] }))
    expect((await posts.get(id)).fields).toEqual({ name: 'a' })
  })
})

/** Where an answer says its issues are, without the body, which the detail format adds. */
function places(wire: Wire, body: unknown): unknown {
  const issues =
    wire.like === 'b'
      ? (body as { detail: { loc: unknown[] }[] }).detail
      : (body as { error: { issues: { loc: unknown[] }[] } }).error.issues
  return issues.map(({ loc }) => loc.filter((part) => part !== 'body'))
}
