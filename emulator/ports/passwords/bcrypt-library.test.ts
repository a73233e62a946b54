import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loadBcrypt } from './bcrypt-library.js'

const native = await loadBcrypt()
const inJavaScript = await loadBcrypt(() => Promise.reject(new Error('Cannot find package')))

it('the native library is used where it is installed, and bcryptjs where it is not', () => {
  expect([native.name, inJavaScript.name]).toEqual(['@node-rs/bcrypt', 'bcryptjs'])
})

it('a password hashed by either library is known to the other, and no other password is', () => {
  const passwords = fc.string({ unit: 'binary', maxLength: 18 })
  const odd = fc.constantFrom('', '\0', 'a\0b', '\ud800', 'a\udc00b', 'ü€😀', 'x'.repeat(72))

  fc.assert(
    fc.property(fc.oneof(passwords, odd), passwords, (password, other) => {
      const hashes = [native.hash(password, 4), inJavaScript.hash(password, 4)]
      for (const { matches } of [native, inJavaScript]) {
        expect(hashes.map((hash) => matches(password, hash))).toEqual([true, true])
        expect(hashes.map((hash) => matches(other, hash))).toEqual([other === password, other === password])
      }
    }),
    { numRuns: 60 },
  )
})
