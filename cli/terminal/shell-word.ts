import { shellWord as posixWord } from '../../client/snippets/shell.js'

/** A word as the shells of this machine read it. */
export function shellWord(text: string): string {
  return wordFor(process.platform, text)
}

/** Those of Windows, cmd.exe and PowerShell, have only double quotes in common. */
export function wordFor(platform: NodeJS.Platform, text: string): string {
  if (platform !== 'win32') return posixWord(text)
  if (/^[\w+=:./\\-]+$/.test(text)) return text
  return `"${text.replaceAll('"', '""')}"`
}
