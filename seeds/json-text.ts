import { keptAsText } from '../client/protocol/model/exact-json.js'

/** Removes the byte order mark that PowerShell and some editors write. JSON does not allow it. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Warns on stderr, even with --json, because the stored value differs from the written one. */
export function warnKeptAsText(place: string, literal: string): void {
  process.stderr.write(`warning  ${place}: ${keptAsText(literal)}\n`)
}

/**
 * Parses a JSON file that people edit.
 *
 * @throws {SyntaxError} if it is not valid JSON
 */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(withoutMark(text))
}
