import { describe, expect, test } from 'vitest'
import { findUses } from './app-requests.js'
import { builtIn } from './cases/index.js'

const shape = (method: string, path: string) => ({ method, path, requests: 3, body: undefined })

function usedBy(id: string, ...shapes: ReturnType<typeof shape>[]): string[] {
  const one = builtIn.find((one) => one.id === id)
  if (!one) throw new Error(`There is no case "${id}".`)
  return findUses(one, shapes).map(({ method, path }) => `${method} ${path}`)
}

describe('a request of the app uses', () => {
  test.each([
    ['an update, if its answer is read back', 'writes.update-merges', 'PATCH', '/collections/posts/documents/{id}'],
    ['a filter of the same kind', 'filters.double-gt', 'GET', '/collections/posts/documents?age__gt=3'],
    ['the path of another dialect', 'filters.double-gt', 'GET', '/collections/posts?age__gt=3'],
    ['an upsert', 'repeats.upsert', 'POST', '/collections/documents?collection=posts&upsert=slug'],
    ['a limit of 0', 'limits.limit-zero', 'GET', '/collections/posts/documents?limit=0'],
    ['a login', 'two_factor.login', 'POST', '/auth-collections/login'],
    ['the same path', 'paths.collection', 'GET', '/collections/posts'],
  ])('%s', (_, id, method, path) => {
    expect(usedBy(id, shape(method, path))).toEqual([`${method} ${path}`])
  })
})

describe('a request of the app does not use', () => {
  test.each([
    ['the list that a case reads back', 'writes.update-merges', 'GET', '/collections/posts/documents/{id}'],
    ['a filter of another kind', 'filters.double-gt', 'GET', '/collections/posts/documents?age__lt=3'],
    ['a plain create', 'repeats.upsert', 'POST', '/collections/documents?collection=posts'],
    ['a limit within bounds', 'limits.limit-zero', 'GET', '/collections/posts/documents?limit=20'],
    ['another path for the same', 'paths.collection', 'GET', '/collections/posts/documents'],
    ['a limit that services treat alike', 'limits.limit-fraction', 'GET', '/collections/posts/documents?limit=20'],
    ['the rights of a collection', 'rights.word-owner', 'GET', '/collections/posts/documents'],
    ['a header', 'repeats.same-key-creates-once', 'POST', '/collections/documents?collection=posts'],
  ])('%s', (_, id, method, path) => {
    expect(usedBy(id, shape(method, path))).toEqual([])
  })
})
