import { type Issue, SvcError } from '../../client/model/errors.js'
import type { Context } from './context.js'

/** bcrypt looks no further, and cutting a password would let others in. Contract 6.6. */
const mostBytes = 72
const leastCharacters = 8

/** A password in the one form that is hashed. */
export function normalPassword(password: string): string {
  return password.normalize('NFC')
}

/** Spec, "Authentication" 4. @throws {SvcError} `VALIDATION_ERROR` whose issues say all that is missing */
export function requireStrong(password: string, field: string): void {
  const normal = normalPassword(password)
  const faults = [
    [[...normal].length < leastCharacters, `has at least ${leastCharacters} characters`, 'too_short'],
    [!/\p{Lu}/u.test(normal), 'has an uppercase letter', 'no_uppercase'],
    [!/\p{Ll}/u.test(normal), 'has a lowercase letter', 'no_lowercase'],
    [!/\p{Nd}/u.test(normal), 'has a digit', 'no_digit'],
    [Buffer.byteLength(normal) > mostBytes, `is at most ${mostBytes} bytes long`, 'too_long'],
  ] as const
  const issues: Issue[] = faults
    .filter(([isFault]) => isFault)
    .map(([, message, type]) => ({ path: [field], message, type }))
  if (issues.length === 0) return
  const rules = issues.map(({ message }) => message).join(', ')
  throw new SvcError('VALIDATION_ERROR', `A password ${rules}.`, issues)
}

export function hashPassword({ backend }: Pick<Context, 'backend'>, password: string): Promise<string> {
  return backend.passwords.hash(normalPassword(password))
}

/** Whether that is the password behind a hash; takes as long when there is no hash, or when it could not be. */
export function isPassword(
  { backend }: Pick<Context, 'backend'>,
  password: string,
  hash: string | null,
): Promise<boolean> {
  const normal = normalPassword(password)
  const isPossible = Buffer.byteLength(normal) <= mostBytes
  return backend.passwords.matches(isPossible ? normal : '', isPossible ? hash : null)
}
