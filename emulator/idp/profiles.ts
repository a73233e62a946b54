/** Reads a person from the profiles of different providers. */
import { isObject, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import type { ProviderProfile } from './provider.js'

const nameFields = ['name', 'preferred_username', 'nickname', 'username', 'login', 'given_name']

export interface EmailClaims {
  /** The provider's separate list of emails, for profiles that do not say whether the email is verified. */
  readonly emails?: unknown
  /** The field that says whether the profile's email is verified. */
  readonly verifiedName?: string | undefined
}

export function readProfile(
  subject: string,
  claims: JsonObject,
  { emails, verifiedName = 'email_verified' }: EmailClaims = {},
): ProviderProfile {
  const email = emails === undefined ? verifiedEmail(claims, verifiedName) : primaryEmail(emails)
  return { subject, email, name: nameFields.map((name) => text(claims[name])).find((name) => name !== undefined) }
}

/** Reads the name that Apple's form carries beside the code, at a person's first login. It is not signed. */
export function readNameInForm(user: string | null): string | undefined {
  if (user === null || user.length > 1_000) return undefined
  try {
    const said: unknown = JSON.parse(user)
    if (!isObject(said) || !isObject(said.name)) return undefined
    const { firstName, lastName } = said.name
    return text([firstName, lastName].filter((part) => typeof part === 'string').join(' '))
  } catch {
    return undefined
  }
}

/** Reads the subject from the profile of a provider without ID tokens. */
export function readSubject({ sub, id }: JsonObject): string | undefined {
  return typeof id === 'number' ? String(id) : (text(sub) ?? text(id))
}

function verifiedEmail({ email, ...claims }: JsonObject, verifiedName: string): string | undefined {
  const isVerified = claims[verifiedName]
  // Some providers send a string.
  return isVerified === true || isVerified === 'true' ? text(email) : undefined
}

function primaryEmail(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) return undefined
  const verified = emails.filter((email): email is JsonObject => isObject(email) && email.verified === true)
  return text((verified.find(({ primary }) => primary === true) ?? verified[0])?.email)
}

/** Returns a non-empty string that a database can store. */
function text(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const kept = value.replaceAll('\0', '').toWellFormed().trim().slice(0, 255)
  return kept === '' ? undefined : kept
}
