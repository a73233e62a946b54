import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import type { PasswordOwner } from '../../ports/passwords/port.js'
import type { Context } from '../context.js'

/** bcrypt looks no further, and cutting a password would let others in. Contract 6.6. */
const mostBytes = 72
const leastCharacters = 8

/** What is longer is too long in whatever form, and is not worth the time that finding out more about it takes. */
const mostCharacters = 1_000

/** A password in the one form that is hashed. */
function normalPassword(password: string): string {
  return password.normalize('NFC')
}

/** Spec, "Authentication" 4. @throws {SvcError} `VALIDATION_ERROR` whose issues say all that is missing */
export function requireStrong(password: string, field: string): void {
  if (password.length > mostCharacters) throw weak(field, [tooLong])
  const normal = normalPassword(password)
  const needs = [
    [[...normal].length < leastCharacters, `at least ${leastCharacters} characters`, 'too_short'],
    [!/\p{Lu}/u.test(normal), 'an uppercase letter', 'no_uppercase'],
    [!/\p{Ll}/u.test(normal), 'a lowercase letter', 'no_lowercase'],
    [!/\p{Nd}/u.test(normal), 'a digit', 'no_digit'],
    [Buffer.byteLength(normal) > mostBytes, ...tooLong],
  ] as const
  const missing = needs.filter(([isMissing]) => isMissing).map(([, need, type]) => [need, type] as const)
  if (missing.length > 0) throw weak(field, missing)
}

const tooLong = [`to be at most ${formatBytes(mostBytes)} long`, 'too_long'] as const

function weak(field: string, missing: readonly (readonly [need: string, type: string])[]): SvcError {
  const issues: Issue[] = missing.map(([need, type]) => ({ path: [field], message: `needs ${need}`, type }))
  return new SvcError('VALIDATION_ERROR', `A password needs ${inWords(missing.map(([need]) => need))}.`, issues)
}

/** `a, b and c` */
function inWords(parts: readonly string[]): string {
  return parts.join(', ').replace(/, ([^,]*)$/, ' and $1')
}

/** Whose a password is, and where the request comes from; who is known by a token counts by itself, wherever it is. */
export interface PasswordUse {
  readonly account: string
  readonly address?: string
}

export function hashPassword(
  { backend }: Pick<Context, 'backend'>,
  password: string,
  use: PasswordUse,
): Promise<string> {
  return backend.passwords.hash(normalPassword(password), ownerOf(use))
}

/** Whether that is the password behind a hash; takes as long when there is no hash, or when it could not be. */
export function isPassword(
  { backend }: Pick<Context, 'backend'>,
  password: string,
  { hash, ...use }: PasswordUse & { readonly hash: string | null },
): Promise<boolean> {
  const normal = password.length > mostCharacters ? '' : normalPassword(password)
  const isPossible = normal !== '' && Buffer.byteLength(normal) <= mostBytes
  return backend.passwords.matches(isPossible ? normal : '', isPossible ? hash : null, ownerOf(use))
}

function ownerOf({ account, address = `account ${account}` }: PasswordUse): PasswordOwner {
  return { account, address }
}
