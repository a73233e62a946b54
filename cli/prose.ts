/** Text as it is wrapped in the source, for the terminal to wrap anew; indented lines and empty ones stay. */
export function prose(text: string): string {
  return text.replace(/(?<=\S)\n(?=\S)/g, ' ')
}
