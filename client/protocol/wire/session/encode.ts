/** The `session` axis: the responses to sign-up and login. */
import type { Writable, WritableObject } from '../../model/json.js'
import type { JsonSchema } from '../codec.js'
import { object, text } from '../json-schema.js'

interface SessionForm {
  readonly signUpStatus: 200 | 201
  signUp(token: string, user: WritableObject): Writable
  logIn(token: string, user: WritableObject): Writable
  signUpSchema(user: JsonSchema): JsonSchema
  logInSchema(user: JsonSchema): JsonSchema
}

/** Returns the token under both names that clients use. */
const tokens = (token: string) => ({ token, access_token: token })
const pair = (token: string, user: WritableObject) => ({ access_token: token, user })
const pairSchema = (user: JsonSchema) => object({ access_token: text, user })

export const sessionForms = {
  /** A sign-up has the user's fields next to the token, and again under `user`. */
  flat: {
    signUpStatus: 201,
    signUp: (token, user) => ({ ...user, ...tokens(token), user }),
    logIn: (token, user) => ({ ...tokens(token), user }),
    signUpSchema: (user) =>
      object({ ...(user.properties as Record<string, JsonSchema>), token: text, access_token: text, user }),
    logInSchema: (user) => object({ token: text, access_token: text, user }),
  },
  pair: { signUpStatus: 200, signUp: pair, logIn: pair, signUpSchema: pairSchema, logInSchema: pairSchema },
} as const satisfies { readonly [form: string]: SessionForm }
