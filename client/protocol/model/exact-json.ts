/** JSON text that people write, without integers changing on the way: a double holds only those up to 2^53 exactly. */
import type { Json } from './json.js'

// Strings and comments first: what they hold is no number.
const tokens = /"(?:[^"\\]+|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|-?\d[\d.eE+-]*/g

/** Whether a number would read an integer as another one. What JSON writes of a number is read as that number again. */
export function isChangedByNumber(literal: string): boolean {
  if (!/^-?\d{16,}$/.test(literal)) return false
  const number = Number(literal)
  return String(number) !== literal && (!Number.isFinite(number) || BigInt(number) !== BigInt(literal))
}

/** The same JSON with integers as strings where a number would change them; each is handed to `onKept`, with its offset. */
export function withExactIntegers(text: string, onKept?: (literal: string, offset: number) => void): string {
  if (!/\d{16}/.test(text)) return text
  return text.replace(tokens, (token, offset: number) => {
    if (!isChangedByNumber(token)) return token
    onKept?.(token, offset)
    return `"${token}"`
  })
}

/** Reads JSON, with integers that a number would change as text. @throws {SyntaxError} */
export function parseExactJson(text: string, onKept?: (literal: string) => void): Json {
  const plain: Json = JSON.parse(text)
  const exact = withExactIntegers(text, onKept)
  return exact === text ? plain : JSON.parse(exact)
}

/** What to tell whoever wrote it. */
export function keptAsText(literal: string): string {
  return `${literal.slice(0, 40)} is too large for a JSON number. It is kept as text.`
}
