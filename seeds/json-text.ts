import { keptAsText } from '../client/protocol/model/exact-json.js'

/** Removes a byte order mark, which some editors and PowerShell write but JSON does not allow. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Warns on stderr, even with JSON output, because the stored value differs from the input. */
export function warnKeptAsText(place: string, literal: string): void {
  process.stderr.write(`warning  ${place}: ${keptAsText(literal)}\n`)
}

/** Parses a JSON file that may start with a byte order mark. @throws {SyntaxError} if it is not JSON */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(withoutMark(text))
}
