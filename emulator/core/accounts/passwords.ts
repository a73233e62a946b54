import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import type { PasswordOwner } from '../../ports/passwords/port.js'
import type { Context } from '../context.js'

/** bcrypt ignores bytes after this, and truncating a password would let others in. Contract 6.6. */
const maxBytes = 72
const minCharacters = 8

/** Refuses longer input at once, before normalizing it, because that takes time in proportion to the length. */
const maxCharacters = 1_000

/** Normalizes a password to the form that is hashed. */
function normalPassword(password: string): string {
  return password.normalize('NFC')
}

/** Spec, "Authentication" 4. @throws {SvcError} `VALIDATION_ERROR` with one issue per missing requirement */
export function requireStrong(password: string, field: string, { leniency }: Pick<Context, 'leniency'> = {}): void {
  if (password.length > maxCharacters) throw weak(field, [tooLong])
  const normal = normalPassword(password)
  const strength = [
    [[...normal].length < minCharacters, `at least ${minCharacters} characters`, 'too_short'],
    [!/\p{Lu}/u.test(normal), 'an uppercase letter', 'no_uppercase'],
    [!/\p{Ll}/u.test(normal), 'a lowercase letter', 'no_lowercase'],
    [!/\p{Nd}/u.test(normal), 'a digit', 'no_digit'],
  ] as const
  const needs = [
    ...(leniency?.takesWeakPasswords ? [[normal === '', 'a character', 'too_short'] as const] : strength),
    [Buffer.byteLength(normal) > maxBytes, ...tooLong] as const,
  ]
  const missing = needs.filter(([isMissing]) => isMissing).map(([, need, type]) => [need, type] as const)
  if (missing.length > 0) throw weak(field, missing)
}

const tooLong = [`to be at most ${formatBytes(maxBytes)} long`, 'too_long'] as const

function weak(field: string, missing: readonly (readonly [need: string, type: string])[]): SvcError {
  const issues: Issue[] = missing.map(([need, type]) => ({ path: [field], message: `needs ${need}`, type }))
  return new SvcError('VALIDATION_ERROR', `A password needs ${formatList(missing.map(([need]) => need))}.`, issues)
}

/** Formats a list as `a, b and c`. */
function formatList(parts: readonly string[]): string {
  return parts.join(', ').replace(/, ([^,]*)$/, ' and $1')
}

/**
 * The account a password belongs to, and the address the request comes from. A user with a token is counted by account,
 * whatever the address.
 */
export interface PasswordUse {
  readonly account: string
  readonly address?: string
}

export function hashPassword(
  { backend }: Pick<Context, 'backend'>,
  password: string,
  use: PasswordUse,
): Promise<string> {
  return backend.passwords.hash(normalPassword(password), describeOwner(use))
}

/** Checks a password against a hash. Takes as long without a hash, or with an impossible password. */
export function isPassword(
  { backend }: Pick<Context, 'backend'>,
  password: string,
  { hash, ...use }: PasswordUse & { readonly hash: string | null },
): Promise<boolean> {
  const normal = password.length > maxCharacters ? '' : normalPassword(password)
  const isPossible = normal !== '' && Buffer.byteLength(normal) <= maxBytes
  return backend.passwords.matches(isPossible ? normal : '', isPossible ? hash : null, describeOwner(use))
}

function describeOwner({ account, address = `account ${account}` }: PasswordUse): PasswordOwner {
  return { account, address }
}
