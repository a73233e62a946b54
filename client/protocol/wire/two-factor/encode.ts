/** The `two_factor` axis: whether a login that needs a code returns a result or an error. */
import { SvcError } from '../../model/errors.js'
import type { Writable } from '../../model/json.js'
import type { JsonSchema } from '../codec.js'
import { object, text } from '../json-schema.js'

interface TwoFactorForm {
  /** Returns the response schema of a login, given the schema without a code. */
  schema(login: JsonSchema): JsonSchema
  /** @throws {SvcError} `2FA_REQUIRED` if the form is an error */
  encode(message: string): Writable
}

export const twoFactorForms = {
  result: {
    schema: (login) => ({ oneOf: [login, object({ requires_2fa: { const: true }, message: text })] }),
    encode: (message) => ({ requires_2fa: true, message }),
  },
  error: {
    schema: (login) => login,
    encode: (message) => {
      throw new SvcError('2FA_REQUIRED', message)
    },
  },
} as const satisfies { readonly [form: string]: TwoFactorForm }
