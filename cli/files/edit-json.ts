import jsonc from 'jsonc-parser'

/**
 * Sets one member in the text of a JSON file, and keeps its comments and spaces.
 *
 * @param value undefined removes the member
 */
export function editJson(text: string, path: readonly string[], value: unknown): string {
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: /^ {4}"/m.test(text) ? 4 : 2 }
  return jsonc.applyEdits(text, jsonc.modify(text, [...path], value, { formattingOptions }))
}
