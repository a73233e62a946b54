import { lineAt, skip } from './json-place.js'

/** What may come: any value, an element or the end, a name, a colon, or a comma or the end. */
type Expected = 'value' | 'first' | 'name' | 'colon' | 'next'

const space = /[ \t\n\r]*/y
const scalar =
  /"(?:[ -!#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const ends: { readonly [begin: string]: string } = { '[': ']', '{': '}' }

/** The line on which text stops being JSON. The engine's own message names a place only at times. */
export function lineOfMistake(text: string): number {
  const open: string[] = []
  let expected: Expected | undefined = 'value'
  let at = skip(text, 0, space)
  while (at < text.length) {
    const sign = text.charAt(at)
    expected = follow(expected, sign, open)
    const end = /[[\]{}:,]/.test(sign) ? at + 1 : skip(text, at, scalar)
    if (expected === undefined || end === at) return lineAt(text, at)
    at = skip(text, end, space)
  }
  return lineAt(text, text.length)
}

/** What may come after what begins with `sign`; nothing, where that may not stand. */
function follow(expected: Expected, sign: string, open: string[]): Expected | undefined {
  const begin = open.at(-1)
  if (expected === 'colon') return sign === ':' ? 'value' : undefined
  if ((expected === 'first' || expected === 'next') && begin !== undefined && sign === ends[begin]) {
    open.pop()
    return 'next'
  }
  if (expected === 'next') return sign === ',' && begin !== undefined ? (begin === '{' ? 'name' : 'value') : undefined
  if (expected === 'name' || (expected === 'first' && begin === '{')) return sign === '"' ? 'colon' : undefined
  if (sign in ends) {
    open.push(sign)
    return 'first'
  }
  return /[\]}:,]/.test(sign) ? undefined : 'next'
}
