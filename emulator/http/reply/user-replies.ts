/** Encodes answers about users in each dialect, and describes their schemas. */

import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import type { Page } from '../../../client/protocol/model/page.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import { arrayOf, object, text } from '../../../client/protocol/wire/json-schema.js'
import { encodeLogin, encodeSignUp, loginSchema, signUpSchema } from '../../../client/protocol/wire/records/logins.js'
import { encodeUser, encodeUsers, userSchema } from '../../../client/protocol/wire/records/users.js'
import type { TotpEnrolment } from '../../core/accounts/two-factor.js'
import type { LoginOutcome } from '../../core/logins/logins.js'
import type { ReplyForm } from './reply-form.js'

/** The values that handlers return, by kind of reply. */
export interface UserReplyValues {
  user: OutgoingUser
  users: Page<OutgoingUser>
  login: LoginOutcome
  signUp: LoginOutcome
  /** A new token for the same session. */
  token: string
  /** A confirmation for people to read. */
  message: string
  enrolment: TotpEnrolment
  recoveryCodes: readonly string[]
  /** The address at an identity provider. */
  loginUrl: string
  appLoginUrl: { readonly url: string; readonly state: string }
}

const record = (dialect: Dialect) => axes.record[dialect.record]

export const userReplies: { readonly [Kind in keyof UserReplyValues]: ReplyForm<UserReplyValues[Kind]> } = {
  user: {
    write: (dialect, user) => ({ body: encodeUser(dialect, user) }),
    schema: (dialect) => record(dialect).schema(userSchema(dialect)),
  },
  users: {
    write: encodeUsers,
    schema: (dialect) => record(dialect).schema(axes.list[dialect.list].schema(userSchema(dialect), 'users')),
  },
  login: { write: (dialect, step) => ({ body: encodeLogin(dialect, step) }), schema: loginSchema },
  signUp: { write: (dialect, step) => ({ body: encodeSignUp(dialect, step) }), schema: signUpSchema },
  token: {
    write: (dialect, token) => ({ body: record(dialect).encode({ token, access_token: token }) }),
    schema: (dialect) => record(dialect).schema(object({ token: text, access_token: text })),
  },
  message: {
    write: (dialect, message) => ({ body: record(dialect).encode({ message }) }),
    schema: (dialect) => record(dialect).schema(object({ message: text })),
  },
  enrolment: {
    write: (dialect, { secret, otpauthUrl, qrCode }) => ({
      body: record(dialect).encode({ secret, otpauth_url: otpauthUrl, qr_code: qrCode }),
    }),
    schema: (dialect) => record(dialect).schema(object({ secret: text, otpauth_url: text, qr_code: text })),
  },
  recoveryCodes: {
    write: (dialect, codes) => ({
      body: record(dialect).encode({ message: 'Two-factor login is on.', recovery_codes: codes }),
    }),
    schema: (dialect) => record(dialect).schema(object({ message: text, recovery_codes: arrayOf(text) })),
  },
  loginUrl: {
    write: (dialect, url) => ({ body: record(dialect).encode({ url }) }),
    schema: (dialect) => record(dialect).schema(object({ url: text })),
  },
  appLoginUrl: {
    write: (dialect, { url, state }) => ({ body: record(dialect).encode({ url, state }) }),
    schema: (dialect) => record(dialect).schema(object({ url: text, state: text })),
  },
}
