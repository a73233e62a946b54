/** Reads the text of a file, or stdin as `-`. */
import { createReadStream, readFileSync } from 'node:fs'
import { withoutMark } from '../../seeds/json-text.js'
import { misuse, noFile } from '../base/failure.js'

/** @throws {CliFailure} for a folder or a missing file */
export async function readText(file: string): Promise<string> {
  try {
    return withoutMark(file === '-' ? await readStdin() : readFileSync(file, 'utf8'))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EISDIR') throw misuse(`"${file}" is a folder, not a file.`)
    if (code !== 'ENOENT' && code !== 'ENAMETOOLONG') throw cause
    throw noFile(file, cause)
  }
}

/** Reads asynchronously, because a synchronous read of non-blocking stdin fails if no data is available yet. */
async function readStdin(): Promise<string> {
  const { text } = await import('node:stream/consumers')
  // Reads the terminal directly, because prompts no longer work once `process.stdin` has ended.
  const isTerminal = process.stdin.isTTY && process.platform !== 'win32'
  return text(isTerminal ? createReadStream('/dev/tty') : process.stdin)
}
