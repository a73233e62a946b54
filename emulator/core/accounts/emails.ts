import { SvcError } from '../../../client/protocol/model/errors.js'

/** An address as it was written, and what two of them are compared by. Contract 6.1. */
export interface Email {
  readonly shown: string
  readonly key: string
}

/** One `@`, something before it, and a name of dotted parts behind it; 254 characters as in SMTP. */
const form = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()[\]\\,;:"\p{Cc}.]+(\.[^\s@<>()[\]\\,;:"\p{Cc}.]+)*$/u
const mostCharacters = 254

/** @throws {SvcError} `VALIDATION_ERROR` */
export function requireEmail(text: string): Email {
  const email = readEmail(text)
  if (email) return email
  throw new SvcError('VALIDATION_ERROR', `"${text.slice(0, 80)}" is not an email address.`, [
    { path: ['email'], message: 'is not an email address', type: 'email' },
  ])
}

/** Nothing if the text cannot be an address. */
export function readEmail(text: string): Email | undefined {
  // What is far too long is not looked at: normalizing takes as long as the text.
  const shown = text.length > 4 * mostCharacters ? '' : text.trim().normalize('NFC')
  if (shown.length > mostCharacters || !form.test(shown)) return undefined
  return { shown, key: shown.toLowerCase() }
}
