/** Recognizes secrets by name or form, and masks them. */
import { isObject, type Json } from '../../../client/protocol/model/json.js'
import { queryText } from '../../../client/protocol/model/requests/query-text.js'

export const mask = '[masked]'

/** Marks where an address was cut. Real addresses don't contain it, because it would be escaped. */
export const cutMark = '…'

/** Names of fields, parameters and headers whose values are secrets. */
const secretName =
  /pass(?:word|wd|phrase|code)|^pwd$|secret|token|^otp|totp|credential|authori[sz]ation|cookie|signature|(?:api|private|access|secret|signing|encryption)[-_]?key|^(?:ticket|sig|jwt|session|auth)$/i

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Whether a parameter is a secret, including those that login redirects pass on. */
export function isLoginSecret(parameter: string): boolean {
  return isSecretName(parameter) || /^(?:code|state|nonce)$/i.test(parameter)
}

const secretHeader = /^(?:sec-websocket-protocol|svc-replay)$/

/** Masks a header for the record. Keeps only the scheme of credentials. */
export function maskedHeader(name: string, value: string): string {
  return headerMasks[findMask(name)](value)
}

const headerMasks = {
  none: (value: string) => value,
  all: () => mask,
  behindScheme: (value: string) => `${value.split(' ', 1)[0]?.slice(0, 20)} ${mask}`,
  address: (value: string) => maskedAddress(value, isLoginSecret),
}

/** Cached, because each request has the same header names. */
const maskOfHeader = new Map<string, keyof typeof headerMasks>(
  Object.entries({
    authorization: 'behindScheme',
    'proxy-authorization': 'behindScheme',
    referer: 'address',
    location: 'address',
    link: 'address',
  } as const),
)
const maxHeaderNames = 1_000

function findMask(name: string): keyof typeof headerMasks {
  const known = maskOfHeader.get(name)
  if (known) return known
  const found = isSecretName(name) || secretHeader.test(name) ? 'all' : 'none'
  if (maskOfHeader.size < maxHeaderNames) maskOfHeader.set(name, found)
  return found
}

/** Keys, tokens and hashes of this and other services, passwords in addresses, and authenticator secrets. */
const secretTexts: readonly [RegExp, string][] = [
  [/\bsvc_(key|secret)_[\w-]+/g, `svc_$1_${mask}`],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, mask],
  [/\$2[aby]\$\d\d\$[./\w]{20,}/g, mask],
  [/:\/\/[^\s/@:"]*:[^\s/@"]+@/g, `://${mask}@`],
  [/otpauth:\/\/[^\s"\\]+/g, `otpauth://${mask}`],
  [/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, `$1 ${mask}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
]

/** Masks everything in a text that looks like a key, a token or a password. */
export function maskedText(text: string): string {
  const plain = secretTexts.reduce((masked, [secret, instead]) => masked.replace(secret, instead), text)
  return plain.includes('=') ? plain.replace(/([?&;#])([\w.%[\]-]{1,80})=([^&\s"'<>#\\]+)/g, maskedPair) : plain
}

function maskedPair(whole: string, before: string, name: string): string {
  return isSecretName(queryText(name)) ? `${before}${name}=${mask}` : whole
}

/** Masks secrets in the query and fragment of an address. */
export function maskedAddress(url: string, isSecret: (name: string) => boolean = isSecretName): string {
  const at = url.search(/[?#]/)
  if (at < 0) return maskedText(url)
  const pairs = url.slice(at).split(/(?=[?&#])/)
  const masked = pairs.map((pair) => {
    const equals = pair.indexOf('=')
    if (equals < 0) return maskedText(pair)
    const name = queryText(pair.slice(1, equals))
    return isSecret(name) ? `${pair.slice(0, equals)}=${mask}` : maskedText(pair)
  })
  return maskedText(url.slice(0, at)) + masked.join('')
}

/** Masks fields with secret names, at all levels. */
export function maskedJson(value: Json): Json {
  if (typeof value === 'string') return maskedText(value)
  if (Array.isArray(value)) return value.map(maskedJson)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretName(name) && member !== null && typeof member !== 'boolean' ? mask : maskedJson(member),
    ]),
  )
}

/** Masks a body for display. Text that is not complete JSON, for example because it was cut, is masked by patterns of names. */
export function maskedBody(text: string): string {
  try {
    const value: Json = JSON.parse(text)
    const masked = JSON.stringify(maskedJson(value))
    return masked === JSON.stringify(value) ? text : masked
  } catch {
    return maskedText(text).replace(
      /"((?:[^"\\]|\\.){1,200})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[[{][\s\S]*|[^,}\]\s]+)/g,
      (whole, name: string, colon: string) => (isSecretName(name) ? `"${name}"${colon}"${mask}"` : whole),
    )
  }
}
