import { expect, it } from 'vitest'
import { openItemSizes } from './item-sizes.js'

const megabyte = 1024 * 1024
const page = { limit: 10, populate: [] }

it('contract 10.10 reserves little for an unknown list, and if unknown records are populated, so that five fit at one address', () => {
  const sizes = openItemSizes()
  sizes.learn('known', ['x'])
  sizes.learn('large', ['x'.repeat(megabyte)])
  const populated = { ...page, populate: [['author'] as const] }

  expect(sizes.expect('unknown', page)).toBe(10 * 64 * 1024)
  expect(sizes.expect('unknown', { ...page, limit: 500 })).toBe(6 * megabyte)
  expect(sizes.expect('known', { ...populated, limit: 100 })).toBe(6 * megabyte)
  expect(sizes.expect('large', populated)).toBe(10 * 2 * megabyte)
})

it('contract 10.10 reserves twice the size of the largest items seen in a list, and at least 16 KB for each', () => {
  const sizes = openItemSizes()
  sizes.learn('large', ['x'.repeat(300_000), 'x'.repeat(100_000)])
  for (const small of [['x'], []]) {
    sizes.learn('large', small)
    sizes.learn('small', small)
  }

  expect(sizes.expect('large', page)).toBe(10 * 400_000)
  expect(sizes.expect('small', page)).toBe(10 * 16 * 1024)
})

it('contract 10.10 remembers pages with populated records apart, and reserves no less than for their items', () => {
  const sizes = openItemSizes()
  const populated = { ...page, populate: [['author'] as const] }
  sizes.learn('posts', ['x'])
  sizes.learnPopulated('posts', 10, 10 * megabyte)
  sizes.learn('notes', ['x'.repeat(megabyte)])
  sizes.learnPopulated('notes', 10, 10)

  expect(sizes.expect('posts', page)).toBe(10 * 16 * 1024)
  expect(sizes.expect('posts', populated)).toBe(10 * 2 * megabyte)
  expect(sizes.expect('notes', populated)).toBe(10 * 2 * megabyte)
})
