import { expect, test } from 'vitest'
import { expectFailure, inDialects, someDocuments } from '../../fixtures/wires.js'

const documents = [
  { name: 'one', status: 'published', featured: false, views: 10, title: 'Green tea', text: 'A leaf.' },
  { name: 'two', status: 'draft', featured: true, views: 20, title: 'Coffee', text: 'Not green.' },
  { name: 'three', status: 'draft', featured: false, views: 30, title: 'Water', text: 'Clear.' },
  { name: 'four', status: 'published', featured: true, views: 40, title: 'Milk', text: null },
]

type Case = readonly [query: string, names: readonly string[]]

inDialects('Or', (wire) => {
  const contains = wire.like === 'b' ? '_icontains' : '__contains'

  async function check(cases: readonly Case[]) {
    const { posts } = await someDocuments(wire, documents)
    for (const [query, names] of cases) {
      const spelled = query.replaceAll('~contains', contains).replaceAll('~', wire.mark)
      const found = await posts.names(`${spelled}&orderBy=id`)
      expect({ query: spelled, names: found }).toEqual({ query: spelled, names })
    }
  }

  test('LST-15 parameters with [or] are one set, of which any must hold', () =>
    check([
      ['[or]status=published&[or]featured=true', ['one', 'two', 'four']],
      ['%5Bor%5Dstatus=published&%5Bor%5Dfeatured=true', ['one', 'two', 'four']],
      ['[or]status=published', ['one', 'four']],
      ['[or]status=published&[or]featured=true&views~gt=10', ['two', 'four']],
      ['[or]views=10&[or]views=20', ['one', 'two']],
    ]))

  test('LST-16 each group is a set of its own, and all must hold', () =>
    check([
      ['[or:x]status=published&[or:x]views=20&[or:y]featured=true&[or:y]views=10', ['one', 'two', 'four']],
      ['[or:x]views=10&[or:x]views=20&[or:y]views=20&[or:y]views=30', ['two']],
      ['[or]views=10&[or]views=20&[or:y]views=20&[or:y]views=30', ['two']],
      ['[or:x]views=10&[or:x]views=20&[or:y]views=20&status=published', []],
      ['[or:a+b]views=10&[or:a%20b]views=20', ['one', 'two']],
    ]))

  test('LST-17 __or__ asks several fields at once', () =>
    check([
      ['title__or__text~contains=green', ['one', 'two']],
      ['title__or__text~contains=water', ['three']],
      ['title__or__text__or__status~contains=dra', ['two', 'three']],
      ['title__or__text~contains=green&status=draft', ['two']],
      ['title__or__name=one', ['one']],
    ]))

  test('contract 4.5 the suffix after __or__ applies to every field', () =>
    check([
      ['views__or__other~gte=30', ['three', 'four']],
      ['status__or__name~in=draft,one', ['one', 'two', 'three']],
      ['text__or__other~isnull=true', ['one', 'two', 'three', 'four']],
      ['status__or__title~ne=draft', ['one', 'two', 'three', 'four']],
    ]))

  test('contract 4.5 groups take every operator and __or__ inside', () =>
    check([
      ['[or]views~lt=15&[or]views~gte=40', ['one', 'four']],
      ['[or:s]title__or__text~contains=green&[or:s]name=four', ['one', 'two', 'four']],
      ['[or]text~isnull=true&[or]status~in=draft', ['two', 'three', 'four']],
      ['[or:x]status~ne=draft&[or:x]name=two&featured=true', ['two', 'four']],
    ]))

  test('contract 4.5 what is wrong in a group is wrong', async () => {
    const { posts } = await someDocuments(wire, documents)

    expectFailure(await posts.ask(`[or]views${wire.mark}isnull=maybe`), 400, 'INVALID_FILTER')
    expectFailure(await posts.ask('[or]views__like=1'), 400, 'INVALID_FILTER')
    expectFailure(await posts.ask('[or:g]a__or__b__like=1'), 400, 'INVALID_FILTER')
    for (const name of ['[or', '[or]', '[or:]a', '[and]a', '[or:x', '__or__', 'a__or__', '__or__b', '[OR]a']) {
      const { status } = await posts.ask(`${encodeURIComponent(name)}=1`)
      expect({ name, status: [200, 400].includes(status) }).toEqual({ name, status: true })
    }
  })

  test('contract 4.3, 4.5 a suffix behind another field than the last of __or__ is refused by its name', async () => {
    const { posts } = await someDocuments(wire, documents)
    const last = `text${wire.mark}contains`

    for (const [name, named] of [
      [`title__like__or__${last}`, '__like'],
      [`title__contains__or__${last}`, '__contains'],
      [`title__or__name__eq__or__${last}`, '__eq'],
      [`[or]title__gte__or__${last}`, '__gte'],
    ]) {
      const answer = await posts.ask(`${encodeURIComponent(name ?? '')}=tea`)
      expectFailure(answer, 400, 'INVALID_FILTER')
      expect(answer.text).toContain(`\\"${named}\\" on`)
    }
  })

  test('contract 4.5 two hundred conditions in one set are served', async () => {
    const { posts } = await someDocuments(wire, documents)
    const query = Array.from({ length: 198 }, (_, at) => `[or]views=${at}`).join('&')

    expect(await posts.names(`${query}&orderBy=id&order=asc`)).toEqual(['one', 'two', 'three', 'four'])
  })
})
