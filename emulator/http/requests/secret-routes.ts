/**
 * Routes of logins and accounts: nothing of what they carry is kept but what is known to be no secret. What was masked in the
 * request is looked for in the answer too, which may repeat it.
 */
import { statuses } from '../../../client/protocol/model/errors.js'
import { isObject, type Json } from '../../../client/protocol/model/json.js'
import { isLoginSecret, isSecretName, mask, maskedAddress, maskedJson } from './masking.js'

const secretPaths = /^\/(?:auth|auth-collections|login-idp|realtime\/tickets)(?:\/|$)/

/** @param pattern the path of the route, or of what was asked for where there is none */
export function isSecretPath(pattern: string): boolean {
  return secretPaths.test(pattern)
}

/** Fields that these routes take or answer, and that are no secrets. */
const plainFields = new Set(
  `id email email_verified emailVerified roles createdAt created_at updatedAt updated_at success message requires_2fa requires2fa
  detail error issues loc msg type user users total limit offset platform scopes expiresAt expires_at url redirectUrl returnTo`.split(
    /\s+/,
  ),
)

/** Parameters that say which page, of what, or in which form. */
const plainParameters = new Set(
  'limit offset orderBy order sort sort_by sort_order count populate dialect live error iss id email'.split(' '),
)

/** Gathers what it masks, so that the same can be masked elsewhere. */
export interface Secrets {
  readonly found: Set<string>
}

/** What is shorter is part of other words. */
const fewestCharacters = 4

function keep({ found }: Secrets, value: string): string {
  if (value.length >= fewestCharacters) found.add(value)
  return mask
}

/** A text without what was masked before. */
export function scrubbed({ found }: Secrets, text: string): string {
  let clean = text
  for (const secret of found) {
    for (const spelled of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      clean = clean.replaceAll(spelled, mask)
    }
  }
  return clean
}

/** The address of a request to such a route. Users are listed with filters, which are recognised by their names. */
export function maskedUrl(secrets: Secrets, url: string, pattern: string): string {
  const [path = '', query] = [url.split(/[?#]/, 1)[0], url.slice(url.search(/[?#]|$/))]
  const isListing = pattern.startsWith('/auth-collections/users')
  const shownPath = pattern === '*' ? maskedSegments(secrets, path) : path
  for (const [name, value] of new URLSearchParams(query.replace(/^[?#]/, ''))) {
    if (isSecretParameter(name)) keep(secrets, value)
  }
  return shownPath + (query === '' ? '' : maskedAddress(query, isSecretParameter))

  function isSecretParameter(name: string): boolean {
    return isListing ? isLoginSecret(name) : !plainParameters.has(name)
  }
}

/** Where nothing is served, a part of the path may be a token that was put there by mistake. */
function maskedSegments(secrets: Secrets, path: string): string {
  return path
    .split('/')
    .map((part) => (/^(?:[a-z-]*|2fa)$/.test(part) ? part : keep(secrets, part)))
    .join('/')
}

/** A JSON or form body with what is no secret; nothing where it can be read as neither. */
export function maskedSecretBody(secrets: Secrets, text: string, type: string | null): string | undefined {
  if (type?.startsWith('application/x-www-form-urlencoded')) {
    const pairs = [...new URLSearchParams(text)].map(([name, value]) => [name, keep(secrets, value)])
    return String(new URLSearchParams(pairs))
  }
  try {
    const value: Json = JSON.parse(text)
    // A user's own `data` is something else.
    const isWrapped = isObject(value) && value.success === true && value.data !== undefined
    return JSON.stringify(
      isWrapped ? { success: true, data: plainPart(secrets, value.data ?? null) } : plainPart(secrets, value),
    )
  } catch {
    return undefined
  }
}

function plainPart(secrets: Secrets, value: Json, name = ''): Json {
  if (Array.isArray(value)) return value.map((item) => plainPart(secrets, item, name))
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([inner, member]) => [inner, plainMember(secrets, inner, member)]),
    )
  }
  // A value that stands alone may be anything.
  if (name === '') return masked(secrets, value)
  return typeof value === 'string' && /^(?:url|redirectUrl|returnTo)$/.test(name)
    ? maskedAddress(value, () => true)
    : value
}

function plainMember(secrets: Secrets, name: string, member: Json): Json {
  // What users keep of themselves is a document, whose fields are recognised by their names.
  if (name === 'data' || name === '$append' || name === '$remove') return plainData(secrets, member)
  if (name === 'code' && typeof member === 'string' && Object.hasOwn(statuses, member)) return member
  if (plainFields.has(name)) return plainPart(secrets, member, name)
  return masked(secrets, member)
}

function plainData(secrets: Secrets, data: Json): Json {
  gather(secrets, data)
  return maskedJson(data)
}

/** The values of fields with the name of a secret. */
function gather(secrets: Secrets, value: Json): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (isSecretName(name)) masked(secrets, member)
    else gather(secrets, member)
  }
}

/** Nothing of a value is left, whatever is in it. */
function masked(secrets: Secrets, value: Json): Json {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value !== 'object') return keep(secrets, String(value))
  for (const member of Object.values(value)) masked(secrets, member)
  return mask
}
