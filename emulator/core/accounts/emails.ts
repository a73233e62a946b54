import { SvcError } from '../../../client/protocol/model/errors.js'

/** An address as written, and the key that addresses are compared by. Contract 6.1. */
export interface Email {
  readonly shown: string
  readonly key: string
}

/** Requires one `@`, a local part, and a domain of dotted parts; at most 254 characters, as in SMTP. */
const form = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}.]+(\.[^\s@<>()[\]\\,;:"\p{Cc}.]+)*$/u
const maxCharacters = 254

/** @throws {SvcError} `VALIDATION_ERROR` */
export function requireEmail(text: string): Email {
  const email = readEmail(text)
  if (email) return email
  throw new SvcError('VALIDATION_ERROR', `"${text.slice(0, 80)}" is not an email address.`, [
    { path: ['email'], message: 'is not an email address', type: 'email' },
  ])
}

/** Returns undefined if the text cannot be an address. */
export function readEmail(text: string): Email | undefined {
  // Rejects overlong text before normalizing it, because normalizing takes time in proportion to the length.
  const shown = text.length > 4 * maxCharacters ? '' : text.trim().normalize('NFC')
  if (shown.length > maxCharacters || !form.test(shown)) return undefined
  return { shown, key: shown.toLowerCase() }
}
