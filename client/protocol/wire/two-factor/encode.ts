/** The `two_factor` axis: whether a login that needs a code is answered as a result, or refused. */
import { SvcError } from '../../model/errors.js'
import type { Writable } from '../../model/json.js'
import type { JsonSchema } from '../codec.js'
import { object, text } from '../json-schema.js'

interface TwoFactorForm {
  /** What a login answers, of which this is the schema where no code is needed. */
  schema(login: JsonSchema): JsonSchema
  /** @throws {SvcError} `2FA_REQUIRED` where it is refused */
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
