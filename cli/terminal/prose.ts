import { textWidth } from './text-width.js'

/** Text as it is wrapped in the source, for the terminal to wrap anew; indented lines and empty ones stay. */
export function prose(text: string): string {
  return text.replace(/(?<=\S)\n(?=\S)/g, ' ')
}

/** Words on as many lines as they need; the second and further ones are indented. */
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
