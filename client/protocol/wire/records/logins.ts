/** The answers to sign-up and login. Spec, "Login and registration result"; contract 6.1 and 6.7. */

import type { OutgoingUser } from '../../model/document.js'
import { SvcError } from '../../model/errors.js'
import type { Writable } from '../../model/json.js'
import type { JsonSchema } from '../codec.js'
import type { Dialect } from '../dialects.js'
import { object, text } from '../json-schema.js'
import { recordEnvelopes } from '../list/encode.js'
import { twoFactorForms } from '../two-factor/encode.js'
import { userShapes } from './users.js'

/** A login is there, or a code is needed first. */
export type LoginStep =
  | { readonly login: { readonly token: string; readonly user: OutgoingUser } }
  | { readonly codeNeeded: string }

/** Token and user. @throws {SvcError} `2FA_REQUIRED` where the dialect says so that a code is needed */
export function writeLogin(dialect: Dialect, step: LoginStep): Writable {
  if ('codeNeeded' in step) return writeCodeNeeded(dialect, step.codeNeeded)
  const { token, user } = step.login
  return enveloped(dialect, { ...tokens(token), user: userShapes[dialect.document].write(user) })
}

/** The user's own fields with the token beside them, and the same user once more under `user`. */
export function writeSignUp(dialect: Dialect, step: LoginStep): Writable {
  // The account exists: in no dialect is that a failure.
  if ('codeNeeded' in step) return enveloped(dialect, codeNeededBody(step.codeNeeded))
  const { token, user } = step.login
  const written = userShapes[dialect.document].write(user)
  return enveloped(dialect, { ...written, ...tokens(token), user: written })
}

export function loginSchema(dialect: Dialect): JsonSchema {
  const login = object({ token: text, access_token: text, user: userShapes[dialect.document].schema })
  if (dialect.two_factor === 'error') return recordEnvelopes[dialect.record].schema(login)
  return orCodeNeeded(dialect, login)
}

export function signUpSchema(dialect: Dialect): JsonSchema {
  const user = userShapes[dialect.document].schema
  const properties = { ...(user.properties as Record<string, JsonSchema>), token: text, access_token: text, user }
  return orCodeNeeded(dialect, object(properties))
}

function writeCodeNeeded(dialect: Dialect, message: string): Writable {
  const form = twoFactorForms[dialect.two_factor]
  if ('code' in form) throw new SvcError(form.code, message)
  return enveloped(dialect, codeNeededBody(message))
}

function codeNeededBody(message: string): Writable {
  return { requires_2fa: true, message }
}

function orCodeNeeded(dialect: Dialect, schema: JsonSchema): JsonSchema {
  return recordEnvelopes[dialect.record].schema({
    oneOf: [schema, object({ requires_2fa: { const: true }, message: text })],
  })
}

/** Both names that clients look for. */
function tokens(token: string) {
  return { token, access_token: token }
}

function enveloped(dialect: Dialect, body: Writable): Writable {
  return recordEnvelopes[dialect.record].write(body)
}
