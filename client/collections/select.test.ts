import { describe, expect, it } from 'vitest'
import type { Fields } from '../protocol/model/document.js'
import { toQuery } from './list-pages.js'
import { compileSelector } from './select.js'

const document = (id: string, data: Fields, createdAt = '2026-01-02T03:04:05.678Z') => ({
  ...{ id, data, createdAt },
  updatedAt: createdAt,
})

describe('A list in the app', () => {
  it.each([
    { filters: 'double', where: { title: { contains: 'TEA' } }, finds: true },
    { filters: 'both', where: { title: { contains: 'TEA' } }, finds: false },
    { filters: 'both', where: { title: { icontains: 'TEA' } }, finds: true },
    { filters: 'double', where: { not: { title: { contains: 'TEA' } } }, finds: false },
    { filters: 'double', where: { created_at: { gte: '2026-01-02' } }, finds: true },
    { filters: 'double', where: { createdAt: { lt: '2026-01-02T04:04+01:00' } }, finds: false },
    { filters: 'double', where: { or: [{ title: 'x' }, { id: 'one' }] }, finds: true },
    { filters: 'single', where: { updated_at: { eq: '2026-01-02T04:04:05.678+01:00' } }, finds: true },
  ] as const)('reads filters as a service with $filters suffixes does: $where', ({ filters, where, finds }) => {
    const { matches } = compileSelector(toQuery({ where }), { filters })

    expect(matches(document('one', { title: 'Green tea' }))).toBe(finds)
  })

  it.each([
    { sort: '-created_at', order: ['b', 'a', 'c'] },
    { sort: ['tag', '-id'], order: ['b', 'a', 'c'] },
    { sort: 'tag', order: ['a', 'b', 'c'] },
    { sort: undefined, order: ['b', 'a', 'c'] },
  ])('sorts by $sort', ({ sort, order }) => {
    const documents = [
      document('a', { tag: 1 }, '2026-01-02T00:00:00.000Z'),
      document('b', { tag: 1 }, '2026-01-03T00:00:00.000Z'),
      document('c', {}, '2026-01-01T00:00:00.000Z'),
    ]

    const { compare } = compileSelector(toQuery({ ...(sort && { sort }) }), { filters: 'double' })

    expect(documents.sort(compare).map(({ id }) => id)).toEqual(order)
  })
})
