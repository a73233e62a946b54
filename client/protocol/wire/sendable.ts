/** Encodes values as text. Refuses values without a text form before a request is sent. */
import { asError } from '../model/errors.js'
import { valueKind } from '../model/json.js'

/** @throws {SvcError} `VALIDATION_ERROR` if `write` fails */
export function sendable<Text>(what: string, write: () => Text): Text {
  try {
    return write()
  } catch (cause) {
    throw asError(cause, 'VALIDATION_ERROR', `${what} cannot be sent: ${(cause as Error).message}`)
  }
}

/** Percent-encodes a part of a URL. @throws {SvcError} for half of a surrogate pair */
export function encodeText(text: string | number | boolean): string {
  return sendable(`"${text}"`, () => encodeURIComponent(text))
}

/** Encodes a body as JSON. @throws {SvcError} for cycles, and for values that JSON would omit or write as `null` or `{}` */
export function encodeBody(body: object): string {
  return sendable('This', () => JSON.stringify(body, refuseUnsendable))
}

function refuseUnsendable(this: { readonly [name: string]: unknown }, name: string, value: unknown): unknown {
  // An invalid date is already `null` here.
  const kind = valueKind(value ?? this[name])
  const isLeftOut = kind === 'Undefined' && !Array.isArray(this)
  if (isLeftOut || /^(Object|Array|String|Boolean|Null)$/.test(kind) || Number.isFinite(value)) return value
  throw new TypeError(`"${name}" cannot be a ${kind}.`)
}
