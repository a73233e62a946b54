import { readFileSync } from 'node:fs'
import type { ParseError } from 'jsonc-parser'
import { withExactIntegers } from '../client/protocol/model/exact-json.js'
import type { Json } from '../client/protocol/model/json.js'
import { badSeed } from './failure.js'
import { warnKeptAsText, withoutMark } from './json-text.js'

/** JSON with comments, and the lines of its values. */
export interface JsonFile {
  readonly name: string
  readonly content: Json
  /** The same as plain JSON with unchanged line numbers. Undefined if it is plain already. */
  readonly plainText: string | undefined
  /** Returns the line of the value at a path, or of its closest existing parent. */
  lineOf(path: readonly string[]): number
}

/** @throws {InputFailure} with file and line, if it is not valid JSON */
export async function readJsonFile(name: string): Promise<JsonFile> {
  // Imported on demand, because few commands need it. It is CommonJS, so its names are on the default export.
  const { default: jsonc } = await import('jsonc-parser')
  const written = withoutMark(readFileSync(name, 'utf8'))
  const text = withExactIntegers(written, (literal) => warnKeptAsText(name, literal))
  const lineAt = lineFinder(text)
  const errors: ParseError[] = []
  const root = parseOrRefuse(name, () => jsonc.parseTree(text, errors))
  const [error] = errors
  if (!root || error) {
    const why = error ? ` (${splitCode(jsonc.printParseErrorCode(error.error))})` : ''
    throw badSeed(`${name}:${lineAt(error?.offset ?? text.length)}`, `is not JSON${why}`)
  }
  const plainText = jsonc.stripComments(text, ' ')
  return {
    name,
    content: jsonc.getNodeValue(root),
    plainText: plainText === written ? undefined : plainText,
    lineOf(path) {
      let node = root
      for (const segment of path) {
        const step = node.type === 'array' ? Number(segment) : segment
        const next = jsonc.findNodeAtLocation(node, [step])
        if (!next) break
        node = next
      }
      return lineAt(node.offset)
    },
  }
}

/** The parser is recursive, so very deep nesting can exhaust the stack. */
function parseOrRefuse<Tree>(file: string, parse: () => Tree): Tree {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) throw badSeed(`${file}:1`, 'is nested too deeply', error)
    throw error
  }
}

/** Converts "ValueExpected" to "value expected". */
function splitCode(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

/** Returns a function that finds the line of a position. Scans for line ends once, because every document asks. */
function lineFinder(text: string): (position: number) => number {
  let ends: readonly number[] | undefined
  return (position) => {
    ends ??= [...text.matchAll(/\n/g)].map(({ index }) => index)
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < position) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
