/** Words with spaces or commas between them, such as roles. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

/** A shortcut as the keyboard here has it. */
export function shortcut(key: string): string {
  return /Mac|iP/.test(navigator.platform) ? `⌘${key}` : `Ctrl ${key}`
}
