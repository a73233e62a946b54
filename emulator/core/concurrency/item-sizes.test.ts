import { expect, it } from 'vitest'
import { openItemSizes } from './item-sizes.js'

const megabyte = 1024 * 1024
const page = { limit: 10, populate: [] }
const populated = { ...page, populate: [['author'] as const] }

it('contract 10.10 reserves little for an unknown list, and if records are populated, so that five fit at one address', () => {
  const sizes = openItemSizes()
  sizes.learn('known', page, { items: 1, bytes: 1 })
  sizes.learn('large', page, { items: 1, bytes: megabyte })

  expect(sizes.expect('unknown', page)).toBe(10 * 64 * 1024)
  expect(sizes.expect('unknown', { ...page, limit: 500 })).toBe(6 * megabyte)
  expect(sizes.expect('known', { ...populated, limit: 100 })).toBe(6 * megabyte)
  expect(sizes.expect('large', populated)).toBe(10 * 2 * megabyte)
})

it('contract 10.10 reserves twice the size of the largest items seen in a list, and at least 16 KB for each', () => {
  const sizes = openItemSizes()
  sizes.learn('large', page, { items: 2, bytes: 400_000 })
  for (const small of [
    { items: 1, bytes: 1 },
    { items: 0, bytes: 0 },
  ]) {
    sizes.learn('large', page, small)
    sizes.learn('small', page, small)
  }

  expect(sizes.expect('large', page)).toBe(10 * 400_000)
  expect(sizes.expect('small', page)).toBe(10 * 16 * 1024)
})

it('contract 10.10 remembers pages with populated records apart', () => {
  const sizes = openItemSizes()
  sizes.learn('posts', page, { items: 10, bytes: 10 })
  sizes.learn('posts', populated, { items: 10, bytes: 10 * megabyte })

  expect(sizes.expect('posts', page)).toBe(10 * 16 * 1024)
  expect(sizes.expect('posts', populated)).toBe(10 * 2 * megabyte)
})
