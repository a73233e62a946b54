import { shellWord as posixWord } from '../../client/snippets/shell.js'

/** Quotes a word for the shells of this machine. */
export function shellWord(text: string): string {
  return wordFor(process.platform, text)
}

/**
 * Quotes for cmd.exe and PowerShell on Windows, because a process cannot tell which one the user types into. Both know double quotes
 * only. Characters that PowerShell would evaluate are escaped, so cmd.exe sees an extra backtick. Neither runs any of it.
 */
export function wordFor(platform: NodeJS.Platform, text: string): string {
  if (platform !== 'win32') return posixWord(text)
  if (/^[\w+=:./\\-]+$/.test(text)) return text
  return `"${text.replace(special, (found) => escapes[found] ?? `\`${found}`)}"`
}

/** PowerShell treats typographic quotes as plain ones. In cmd.exe, a line break ends the command and a percent sign starts a variable. */
const special = /["`$“”„\r\n]|%(?=.)/gs
const escapes: Readonly<Record<string, string>> = {
  '"': '""',
  '\r': '`r',
  '\n': '`n',
  // Empty in PowerShell. In cmd.exe, it changes the variable name into one that does not exist.
  '%': '%$()',
}
