/** A person as the core knows one, from what providers say in their various ways. */
import { isObject, type Json, type JsonObject } from '../../client/model/json.js'
import type { Profile } from './provider.js'

/** Names under which providers say that an address is verified. */
const verifiedNames = ['email_verified', 'verified_email', 'verified']

const nameNames = ['name', 'preferred_username', 'nickname', 'username', 'login', 'given_name']

/** @param emails what the provider says of the addresses alone, where the profile leaves that open */
export function readProfile(subject: string, claims: JsonObject, emails: unknown = undefined): Profile {
  const email = emails === undefined ? verifiedEmail(claims) : primaryEmail(emails)
  return { subject, email, name: nameNames.map((name) => text(claims[name])).find((name) => name !== undefined) }
}

/** Who the profile of a provider without ID tokens is about. */
export function readSubject({ sub, id }: JsonObject): string | undefined {
  return typeof id === 'number' ? String(id) : (text(sub) ?? text(id))
}

function verifiedEmail(claims: JsonObject): string | undefined {
  // Some write it as text.
  const isVerified = verifiedNames.some((name) => claims[name] === true || claims[name] === 'true')
  return isVerified ? text(claims.email) : undefined
}

function primaryEmail(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) return undefined
  const verified = emails.filter((email): email is JsonObject => isObject(email) && email.verified === true)
  return text((verified.find(({ primary }) => primary === true) ?? verified[0])?.email)
}

/** A text that says something, and that a database can keep. */
function text(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const kept = value.replaceAll('\0', '').toWellFormed().trim().slice(0, 255)
  return kept === '' ? undefined : kept
}
