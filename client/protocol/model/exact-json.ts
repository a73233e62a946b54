/** Reads JSON without changing large integers, because a double is exact only up to 2^53. */
import type { Json } from './json.js'

// Matches strings and comments first, to skip numbers inside them.
const tokens = /"(?:[^"\\]+|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|-?\d[\d.eE+-]*/g

/** Tells whether parsing changes an integer. Accepts every literal that `JSON.stringify` writes. */
export function isChangedByNumber(literal: string): boolean {
  if (!/^-?\d{16,}$/.test(literal)) return false
  const number = Number(literal)
  return String(number) !== literal && (!Number.isFinite(number) || BigInt(number) !== BigInt(literal))
}

/** Quotes integers that parsing would change. Calls `onKept` for each. */
export function withExactIntegers(text: string, onKept?: (literal: string, offset: number) => void): string {
  if (!/\d{16}/.test(text)) return text
  return text.replace(tokens, (token, offset: number) => {
    if (!isChangedByNumber(token)) return token
    onKept?.(token, offset)
    return `"${token}"`
  })
}

/** Parses JSON, and keeps integers that a number would change as text. @throws {SyntaxError} */
export function parseExactJson(text: string, onKept?: (literal: string) => void): Json {
  const plain: Json = JSON.parse(text)
  const exact = withExactIntegers(text, onKept)
  return exact === text ? plain : JSON.parse(exact)
}

/** Formats the warning about a kept integer. */
export function keptAsText(literal: string): string {
  return `${literal.slice(0, 40)} is too large for a JSON number. It is kept as text.`
}
