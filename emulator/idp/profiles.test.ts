import { expect, it } from 'vitest'
import { readNameInForm } from './profiles.js'

const cases: readonly [user: string | null, name: string | undefined][] = [
  ['{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"ada@example.com"}', 'Ada Lovelace'],
  ['{"name":{"firstName":"Ada"}}', 'Ada'],
  ['{"name":{"firstName":"","lastName":""}}', undefined],
  ['{"name":{"firstName":{"x":1},"lastName":["y"]}}', undefined],
  ['{"name":"Ada"}', undefined],
  ['[]', undefined],
  ['not json', undefined],
  [`{"name":{"firstName":"${'x'.repeat(2_000)}"}}`, undefined],
  [null, undefined],
]

it.each(cases)('IDP-12 the name in the form %s is %s', (user, name) => {
  expect(readNameInForm(user)).toBe(name)
})
