import { readFileSync } from 'node:fs'
import type { ParseError } from 'jsonc-parser'
import { withExactIntegers } from '../client/protocol/model/exact-json.js'
import type { Json } from '../client/protocol/model/json.js'
import { badSeed } from './failure.js'
import { warnKeptAsText, withoutMark } from './json-text.js'

/** Parsed JSON with comments, and positions of its values. */
export interface JsonFile {
  readonly name: string
  readonly content: Json
  /** Text without comments, with the same lines; undefined if there are none. */
  readonly plainText: string | undefined
  /** Returns the line on which the value at a path starts, or its deepest existing parent. */
  findLine(path: readonly string[]): number
}

/** @throws {InputFailure} with file and line if it is not JSON */
export async function readJsonFile(name: string): Promise<JsonFile> {
  // Loads on demand, because few commands need it. A CommonJS module, so its exports are on `default`.
  const { default: jsonc } = await import('jsonc-parser')
  const written = withoutMark(readFileSync(name, 'utf8'))
  const text = withExactIntegers(written, (literal) => warnKeptAsText(name, literal))
  const lineAt = indexLines(text)
  const errors: ParseError[] = []
  const root = parseTree(name, () => jsonc.parseTree(text, errors))
  const [error] = errors
  if (!root || error) {
    const why = error ? ` (${formatErrorCode(jsonc.printParseErrorCode(error.error))})` : ''
    throw badSeed(`${name}:${lineAt(error?.offset ?? text.length)}`, `is not JSON${why}`)
  }
  const plainText = jsonc.stripComments(text, ' ')
  return {
    name,
    content: jsonc.getNodeValue(root),
    plainText: plainText === written ? undefined : plainText,
    findLine(path) {
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

/** Reports deep nesting, which can exhaust the stack of the recursive parser. */
function parseTree<Tree>(file: string, parse: () => Tree): Tree {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) throw badSeed(`${file}:1`, 'is nested too deeply', error)
    throw error
  }
}

/** Converts "ValueExpected" to "value expected". */
function formatErrorCode(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

/** Returns a function that finds the line of a position. Indexes line ends once, because seeds look up many lines. */
function indexLines(text: string): (position: number) => number {
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
