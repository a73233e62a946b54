/** Values as text. What has no text is refused before a request is sent. */
import { asError } from '../model/errors.js'
import { valueKind } from '../model/json.js'

/** @throws {SvcError} `VALIDATION_ERROR` for what `write` cannot write */
export function sendable<Text>(what: string, write: () => Text): Text {
  try {
    return write()
  } catch (cause) {
    throw asError(cause, 'VALIDATION_ERROR', `${what} cannot be sent: ${(cause as Error).message}`)
  }
}

/** A part of an address. @throws {SvcError} for half of a surrogate pair */
export function encodeText(text: string | number | boolean): string {
  return sendable(`"${text}"`, () => encodeURIComponent(text))
}

/** A body as JSON. @throws {SvcError} for a cycle, and for what JSON would leave out or write as `null` or `{}` */
export function encodeBody(body: object): string {
  return sendable('This', () => JSON.stringify(body, refuseUnsendable))
}

function refuseUnsendable(this: { readonly [name: string]: unknown }, name: string, value: unknown): unknown {
  // An invalid date has become `null` by now.
  const kind = valueKind(value ?? this[name])
  const isLeftOut = kind === 'Undefined' && !Array.isArray(this)
  if (isLeftOut || /^(Object|Array|String|Boolean|Null)$/.test(kind) || Number.isFinite(value)) return value
  throw new TypeError(`"${name}" cannot be a ${kind}.`)
}
