import { readFileSync } from 'node:fs'
import type { ParseError } from 'jsonc-parser'
import { withExactIntegers } from '../client/protocol/model/exact-json.js'
import type { Json } from '../client/protocol/model/json.js'
import { badSeed } from './failure.js'
import { warnKeptAsText, withoutMark } from './json-text.js'

/** JSON with comments, and where in it things stand. */
export interface JsonFile {
  readonly name: string
  readonly content: Json
  /** The same as plain JSON, line by line; undefined where it is that already. */
  readonly plainText: string | undefined
  /** The line on which the value at a path begins; of the last that is there, if the path leads nowhere. */
  lineOf(path: readonly string[]): number
}

/** @throws {InputFailure} with file and line, if it is not JSON. */
export async function readJsonFile(name: string): Promise<JsonFile> {
  // Loaded by few commands, and in CommonJS: its names are those of its default.
  const { default: jsonc } = await import('jsonc-parser')
  const written = withoutMark(readFileSync(name, 'utf8'))
  const text = withExactIntegers(written, (literal) => warnKeptAsText(name, literal))
  const lineAt = linesOf(text)
  const errors: ParseError[] = []
  const root = treeOf(name, () => jsonc.parseTree(text, errors))
  const [error] = errors
  if (!root || error) {
    const why = error ? ` (${wordsOf(jsonc.printParseErrorCode(error.error))})` : ''
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

/** The parser follows the nesting on the stack, which deeper nesting than the service takes can exhaust. */
function treeOf<Tree>(file: string, parse: () => Tree): Tree {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) throw badSeed(`${file}:1`, 'is nested too deeply', error)
    throw error
  }
}

/** "ValueExpected" as "value expected". */
function wordsOf(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

/** Answers the line of a position. The ends of lines are looked for once: a seed asks for the line of each of its documents. */
function linesOf(text: string): (position: number) => number {
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
