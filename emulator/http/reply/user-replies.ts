/** Encodes answers about users in each dialect, and describes their schemas. */

import type { OutgoingUser } from '../../../client/protocol/model/document.js'
import type { WritableObject } from '../../../client/protocol/model/json.js'
import type { Page } from '../../../client/protocol/model/page.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import { arrayOf, object, text, time } from '../../../client/protocol/wire/json-schema.js'
import { encodeLogin, encodeSignUp, loginSchema, signUpSchema } from '../../../client/protocol/wire/records/logins.js'
import { encodeUser, encodeUsers, userSchema } from '../../../client/protocol/wire/records/users.js'
import type { TotpEnrolment } from '../../core/accounts/two-factor.js'
import type { VerificationOutcome } from '../../core/accounts/verification.js'
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
  enrolmentWithMessage: { readonly message: string; readonly enrolment: TotpEnrolment }
  verificationMail: VerificationOutcome
  verified: { readonly verifiedAt: string }
  recoveryCodes: readonly string[]
  /** The address at an identity provider. */
  loginUrl: string
  appLoginUrl: { readonly url: string; readonly state: string }
}

const enrolmentMembers = { secret: text, otpauth_url: text, qr_code: text }

function encodeEnrolment({ secret, otpauthUrl, qrCode }: TotpEnrolment) {
  return { secret, otpauth_url: otpauthUrl, qr_code: qrCode }
}

const verificationMails: { readonly [Outcome in VerificationOutcome]: WritableObject } = {
  sent: { message: 'We sent you an email with a link.', expires_in_hours: 24 },
  'sent before': { message: 'We sent you an email a moment ago.' },
  verified: { message: 'Your email address is verified already.' },
}

const record = (dialect: Dialect) => axes.record[dialect.record]

export const userReplies: { readonly [Kind in keyof UserReplyValues]: ReplyForm<UserReplyValues[Kind]> } = {
  user: {
    write: (dialect, user) => ({ body: encodeUser(dialect, user) }),
    schema: (dialect) => record(dialect).schema(userSchema(dialect)),
  },
  users: {
    write: encodeUsers,
    schema: (dialect) => record(dialect).schema(axes.users[dialect.users].schema(dialect.list, userSchema(dialect))),
  },
  login: { write: (dialect, step) => ({ body: encodeLogin(dialect, step) }), schema: loginSchema },
  signUp: {
    write: (dialect, step) => ({ body: encodeSignUp(dialect, step) }),
    schema: signUpSchema,
    status: (dialect) => axes.session[dialect.session].signUpStatus,
  },
  token: {
    write: (dialect, token) => ({ body: record(dialect).encode({ token, access_token: token }) }),
    schema: (dialect) => record(dialect).schema(object({ token: text, access_token: text })),
  },
  message: {
    write: (dialect, message) => ({ body: record(dialect).encode({ message }) }),
    schema: (dialect) => record(dialect).schema(object({ message: text })),
  },
  enrolment: {
    write: (dialect, enrolment) => ({ body: record(dialect).encode(encodeEnrolment(enrolment)) }),
    schema: (dialect) => record(dialect).schema(object(enrolmentMembers)),
  },
  enrolmentWithMessage: {
    write: (dialect, { message, enrolment }) => ({
      body: record(dialect).encode({ message, ...encodeEnrolment(enrolment) }),
    }),
    schema: (dialect) => record(dialect).schema(object({ message: text, ...enrolmentMembers })),
  },
  verificationMail: {
    write: (dialect, outcome) => ({ body: record(dialect).encode(verificationMails[outcome]) }),
    schema: (dialect) =>
      record(dialect).schema(
        object({ message: text, expires_in_hours: { type: 'integer' } }, { optional: ['expires_in_hours'] }),
      ),
  },
  verified: {
    write: (dialect, { verifiedAt }) => ({
      body: record(dialect).encode({
        message: 'Your email address is verified.',
        email_verified: true,
        verified_at: verifiedAt,
      }),
    }),
    schema: (dialect) =>
      record(dialect).schema(object({ message: text, email_verified: { const: true }, verified_at: time })),
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
