import { expect, test } from 'vitest'
import { openTable, table } from './print.js'

test.each([
  [Number.POSITIVE_INFINITY, '1234567'],
  [40, '1…'],
])('in %s columns, a row that is wider than the first ones reads %s', (width, line) => {
  const { lines } = openTable([{ n: 10 }], { width })

  expect(lines([{ n: 1_234_567 }])).toBe(line)
})

test.each([
  [Number.POSITIVE_INFINITY, 100],
  [60, 60],
])('in %s columns, a long value is cut with its length', (width, columns) => {
  const [, row = ''] = table([{ text: 'long '.repeat(500) }], { width }).split('\n')

  expect(row).toMatch(/^(long )+.*… \(2,500 chars\)$/)
  expect(row).toHaveLength(columns)
})

test('in a pipe, columns to copy are whole', () => {
  const url = `https://example.com/${'x'.repeat(200)}`

  expect(table([{ id: url, url }], { width: Number.POSITIVE_INFINITY, whole: ['url'] })).toContain(`${url}  ${url}`)
})

const user = {
  id: 'x'.repeat(36),
  email: `${'ada.lovelace'.repeat(3)}@example.com`,
  roles: 'admin, editor',
  createdAt: '2030-01-02 03:04:05',
}

test.each([
  [100, user.email, 'not shown: createdAt'],
  [120, user.email, '2030-01-02'],
  [80, 'ada.lovelac', 'createdAt'],
])('in %s columns, an email is shown as %s, and beside it %s', (width, email, more) => {
  const shown = table([user], { width, whole: ['email'] })

  expect(shown).toContain(`${user.id}  ${email}`)
  expect(shown).toContain(more)
  for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(width)
})
