import { shellWord as posixWord } from '../../client/snippets/shell.js'

/** A word as the shells of this machine read it. */
export function shellWord(text: string): string {
  return wordFor(process.platform, text)
}

/**
 * Those of Windows, cmd.exe and PowerShell, have only double quotes in common, and a process cannot tell which of them a user types into. What
 * PowerShell would evaluate within them is escaped for it, so that cmd.exe reads a backtick more. Neither runs any of it.
 */
export function wordFor(platform: NodeJS.Platform, text: string): string {
  if (platform !== 'win32') return posixWord(text)
  if (/^[\w+=:./\\-]+$/.test(text)) return text
  return `"${text.replace(special, (found) => escapes[found] ?? `\`${found}`)}"`
}

/** PowerShell takes typographic quotes for plain ones. A line break ends the command of cmd.exe, and a percent sign begins a variable of it. */
const special = /["`$“”„\r\n]|%(?=.)/gs
const escapes: Readonly<Record<string, string>> = {
  '"': '""',
  '\r': '`r',
  '\n': '`n',
  // Nothing in PowerShell; for cmd.exe it makes another name of what follows, which no variable has.
  '%': '%$()',
}
