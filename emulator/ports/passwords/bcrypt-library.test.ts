import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loadBcrypt } from './bcrypt-library.js'

const native = await loadBcrypt()
const inJavaScript = await loadBcrypt(() => Promise.reject(new Error('Cannot find package')))

it('uses the native library if it is installed, and bcryptjs otherwise', () => {
  expect([native.name, inJavaScript.name]).toEqual(['@node-rs/bcrypt', 'bcryptjs'])
})

it('each library accepts a password hashed by the other, and no other password', () => {
  const passwords = fc.string({ unit: 'binary', maxLength: 18 })
  const odd = fc.constantFrom('', '\0', 'a\0b', '\ud800', 'a\udc00b', 'ü€😀', 'x'.repeat(72))

  fc.assert(
    fc.property(fc.oneof(passwords, odd), passwords, (password, other) => {
      const hashes = [native.hash(password, 4), inJavaScript.hash(password, 4)]
      for (const { matches } of [native, inJavaScript]) {
        expect(hashes.map((hash) => matches(password, hash))).toEqual([true, true])
        const isSame = isSameKey(other, password)
        expect(hashes.map((hash) => matches(other, hash))).toEqual([isSame, isSame])
      }
    }),
    { numRuns: 60 },
  )
})

/** bcrypt ends a password with U+0000 and repeats it, so it cannot tell the empty password from `\0`. */
function isSameKey(one: string, other: string): boolean {
  return `${one}\0`.repeat(other.length + 1) === `${other}\0`.repeat(one.length + 1)
}
