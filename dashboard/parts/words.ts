/** Splits words at spaces or commas, for example roles. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

/** Formats a shortcut for this platform. */
export function shortcut(key: string): string {
  return /Mac|iP/.test(navigator.platform) ? `⌘${key}` : `Ctrl ${key}`
}
