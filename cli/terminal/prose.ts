import { textWidth } from './text-width.js'

/** Joins lines that are wrapped in the source. Keeps indented and empty lines. */
export function prose(text: string): string {
  return text.replace(/(?<=\S)\n(?=\S)/g, ' ')
}

/** Wraps text to a width, and indents all lines but the first. */
export function wrapWords(text: string, columns: number, indent = 0): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= Math.max(20, columns)) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
