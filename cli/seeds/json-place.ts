/** Where a value stands in JSON text, for messages that name a line. */

/** The line of a position, from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/** The line on which the value at a path begins; the last that is there, if the path leads nowhere. */
export function lineOf(text: string, path: readonly string[]): number {
  return lineAt(text, positionOf(text, path))
}

const space = /\s*/y
const string = /"(?:[^"\\]|\\.)*"/y
const plain = /[^\s,\]}]+/y

function positionOf(text: string, path: readonly string[]): number {
  let at = skip(text, 0, space)
  for (const segment of path) {
    const next = memberOf(text, at, segment)
    if (next === undefined) return at
    at = next
  }
  return at
}

/** The position of a member's value, in the object or array that begins at `start`. */
function memberOf(text: string, start: number, name: string): number | undefined {
  const isArray = text[start] === '['
  if (!isArray && text[start] !== '{') return undefined
  let at = skip(text, start + 1, space)
  for (let index = 0; at < text.length && text[at] !== ']' && text[at] !== '}'; index++) {
    let key = String(index)
    if (!isArray) {
      const end = skip(text, at, string)
      key = JSON.parse(text.slice(at, end))
      at = skip(text, skip(text, end, space) + 1, space)
    }
    if (key === name) return at
    at = skip(text, endOfValue(text, at), space)
    if (text[at] === ',') at = skip(text, at + 1, space)
  }
  return undefined
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return skip(text, start, string)
  if (text[start] !== '{' && text[start] !== '[') return skip(text, start, plain)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = skip(text, at, string) - 1
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length
}

/** Where a sticky pattern that begins there ends; there itself, if it does not match. */
export function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
