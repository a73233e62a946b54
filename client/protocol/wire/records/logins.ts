/** Encodes responses to sign-up and login. Spec, "Login and registration result"; contract 6.1 and 6.7. */
import type { OutgoingUser } from '../../model/document.js'
import type { Writable } from '../../model/json.js'
import { axes, type Dialect } from '../axes.js'
import type { JsonSchema } from '../codec.js'
import { userRecord, userSchema } from './users.js'

/** Result of a login: the signed-in user, or a request for a two-factor code. */
export type LoginStep =
  | { readonly login: { readonly token: string; readonly user: OutgoingUser } }
  | { readonly codeNeeded: string }

/** Encodes token and user. @throws {SvcError} `2FA_REQUIRED` if the dialect reports a needed code as an error */
export function encodeLogin(dialect: Dialect, step: LoginStep): Writable {
  if ('codeNeeded' in step) return enveloped(dialect, axes.two_factor[dialect.two_factor].encode(step.codeNeeded))
  const { token, user } = step.login
  return enveloped(dialect, axes.session[dialect.session].logIn(token, userRecord(dialect, user)))
}

export function encodeSignUp(dialect: Dialect, step: LoginStep): Writable {
  // Never an error, because the account has been created.
  if ('codeNeeded' in step) return enveloped(dialect, axes.two_factor.result.encode(step.codeNeeded))
  const { token, user } = step.login
  return enveloped(dialect, axes.session[dialect.session].signUp(token, userRecord(dialect, user)))
}

export function loginSchema(dialect: Dialect): JsonSchema {
  const login = axes.session[dialect.session].logInSchema(userSchema(dialect))
  return axes.record[dialect.record].schema(axes.two_factor[dialect.two_factor].schema(login))
}

export function signUpSchema(dialect: Dialect): JsonSchema {
  const signUp = axes.session[dialect.session].signUpSchema(userSchema(dialect))
  return axes.record[dialect.record].schema(axes.two_factor.result.schema(signUp))
}

function enveloped(dialect: Dialect, body: Writable): Writable {
  return axes.record[dialect.record].encode(body)
}
