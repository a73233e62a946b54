/** A text that a flag or an argument names: a file, or stdin as `-`. */
import { createReadStream, readFileSync } from 'node:fs'
import { withoutMark } from '../../seeds/json-text.js'
import { misuse, noFile } from '../base/failure.js'

/** @throws {CliFailure} for a folder, and for a file that is not there */
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

/** Asynchronously: a read of descriptor 0 fails where the writer has nothing yet, since Node makes stdin non-blocking. */
async function readStdin(): Promise<string> {
  const { text } = await import('node:stream/consumers')
  // At the end of `process.stdin` a question could not be answered any more.
  const isTerminal = process.stdin.isTTY && process.platform !== 'win32'
  return text(isTerminal ? createReadStream('/dev/tty') : process.stdin)
}
