import { keptAsText } from '../client/protocol/model/exact-json.js'

/** What a text file says: some editors, and PowerShell, begin one with a byte order mark, which no JSON has. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Warns on stderr, also where output is JSON: what is stored is another value than what was written. */
export function warnKeptAsText(place: string, literal: string): void {
  process.stderr.write(`warning  ${place}: ${keptAsText(literal)}\n`)
}

/** The value of a JSON file that people write. @throws {SyntaxError} if it is not JSON */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(withoutMark(text))
}
