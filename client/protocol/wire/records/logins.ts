/** Encodes responses to sign-up and login. Spec, "Login and registration result"; contract 6.1 and 6.7. */
import type { OutgoingUser } from '../../model/document.js'
import type { Writable } from '../../model/json.js'
import { axes, type Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { object, text } from '../json-schema.js'
import { userRecord, userSchema } from './users.js'

/** Result of a login: the signed-in user, or a request for a two-factor code. */
export type LoginStep =
  | { readonly login: { readonly token: string; readonly user: OutgoingUser } }
  | { readonly codeNeeded: string }

/** Encodes token and user. @throws {SvcError} `2FA_REQUIRED` if the dialect reports a needed code as an error */
export function encodeLogin(dialect: Dialect, step: LoginStep): Writable {
  if ('codeNeeded' in step) return enveloped(dialect, axes.two_factor[dialect.two_factor].encode(step.codeNeeded))
  const { token, user } = step.login
  return enveloped(dialect, { ...tokens(token), user: userRecord(dialect, user) })
}

/** Encodes the user's fields next to the token, and again under `user`. */
export function encodeSignUp(dialect: Dialect, step: LoginStep): Writable {
  // Never an error, because the account has been created.
  if ('codeNeeded' in step) return enveloped(dialect, axes.two_factor.result.encode(step.codeNeeded))
  const { token, user } = step.login
  const record = userRecord(dialect, user)
  return enveloped(dialect, { ...record, ...tokens(token), user: record })
}

export function loginSchema(dialect: Dialect): JsonSchema {
  const login = object({ token: text, access_token: text, user: userSchema(dialect) })
  return axes.record[dialect.record].schema(axes.two_factor[dialect.two_factor].schema(login))
}

export function signUpSchema(dialect: Dialect): JsonSchema {
  const user = userSchema(dialect)
  const properties = { ...(user.properties as Record<string, JsonSchema>), token: text, access_token: text, user }
  return axes.record[dialect.record].schema(axes.two_factor.result.schema(object(properties)))
}

/** Returns the token under both names that clients use. */
function tokens(token: string) {
  return { token, access_token: token }
}

function enveloped(dialect: Dialect, body: Writable): Writable {
  return axes.record[dialect.record].encode(body)
}
