/**
 * Masks requests to login and account routes, which keep only values known to be harmless. Values masked in the request are
 * masked in the answer too, which may repeat them.
 */
import { operatorNames } from '../../../client/protocol/model/document.js'
import { statuses } from '../../../client/protocol/model/errors.js'
import { isObject, type Json } from '../../../client/protocol/model/json.js'
import { isLoginSecret, isSecretName, mask, maskedAddress, maskedJson } from './masking.js'

const secretPaths = /^\/(?:auth|auth-collections|login-idp|realtime\/tickets|verify-email)(?:\/|$)/

/** @param pattern the path of the route, or the requested path if there is none */
export function isSecretPath(pattern: string): boolean {
  return secretPaths.test(pattern)
}

/** Fields of these routes that are not secret. */
const plainFields = new Set(
  `id email email_verified emailVerified roles createdAt created_at updatedAt updated_at success message requires_2fa requires2fa
  detail error issues loc msg type user users total limit offset platform scopes expiresAt expires_at url redirectUrl returnTo`.split(
    /\s+/,
  ),
)

/** Parameters for paging, sorting and formats. */
const plainParameters = new Set(
  'limit offset orderBy order sort sort_by sort_order count populate select dialect live error iss id email'.split(' '),
)

/** Collects masked values, so that they can be masked elsewhere. */
export interface Secrets {
  readonly found: Set<string>
}

/** Shorter values would match parts of other words. */
const minCharacters = 4

function keep({ found }: Secrets, value: string): string {
  if (value.length >= minCharacters) found.add(value)
  return mask
}

/** Masks earlier found secrets in a text. */
export function scrubbed({ found }: Secrets, text: string): string {
  let clean = text
  for (const secret of found) {
    for (const spelled of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      clean = clean.replaceAll(spelled, mask)
    }
  }
  return clean
}

/** Masks the address of a request to such a route. Filters in lists of users are recognized by their names. */
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

/** On unknown paths, a segment may be a token that was put there by mistake. */
function maskedSegments(secrets: Secrets, path: string): string {
  return path
    .split('/')
    .map((part) => (/^(?:[a-z-]*|2fa)$/.test(part) ? part : keep(secrets, part)))
    .join('/')
}

/** Masks a JSON or form body except for harmless fields. Returns undefined if it is neither. */
export function maskedSecretBody(secrets: Secrets, text: string, type: string | null): string | undefined {
  if (type?.startsWith('application/x-www-form-urlencoded')) {
    const pairs = [...new URLSearchParams(text)].map(([name, value]) => [name, keep(secrets, value)])
    return String(new URLSearchParams(pairs))
  }
  try {
    const value: Json = JSON.parse(text)
    // The `data` of a user is something else.
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
  // A value without a name may be anything.
  if (name === '') return masked(secrets, value)
  return typeof value === 'string' && /^(?:url|redirectUrl|returnTo)$/.test(name)
    ? maskedAddress(value, () => true)
    : value
}

function plainMember(secrets: Secrets, name: string, member: Json): Json {
  // The data of a user is a document, whose fields are recognized by their names.
  if (name === 'data' || operatorNames.includes(name)) return plainData(secrets, member)
  if (name === 'code' && typeof member === 'string' && Object.hasOwn(statuses, member)) return member
  if (plainFields.has(name)) return plainPart(secrets, member, name)
  return masked(secrets, member)
}

function plainData(secrets: Secrets, data: Json): Json {
  collectSecrets(secrets, data)
  return maskedJson(data)
}

/** Collects the values of fields with secret names. */
function collectSecrets(secrets: Secrets, value: Json): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (isSecretName(name)) masked(secrets, member)
    else collectSecrets(secrets, member)
  }
}

/** Masks everything within a value. */
function masked(secrets: Secrets, value: Json): Json {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value !== 'object') return keep(secrets, String(value))
  for (const member of Object.values(value)) masked(secrets, member)
  return mask
}
