/** Manages the file of `--ready-file`, which exists while the server responds. */
import { lstat, readFile } from 'node:fs/promises'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { misuse } from '../base/failure.js'
import { removeFile } from './replace-file.js'

/** Larger files are not ours. */
const maxBytes = 64 * 1024

/**
 * Removes the file of an earlier start, which would tell a waiting script that this one is ready.
 *
 * @throws {CliFailure} if something else is there
 */
export async function clearReadyFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return
  if (!found.isFile()) {
    throw misuse(
      `"${path}" is not a regular file and was left unchanged.`,
      'Choose another file for --ready-file, or use --json to print the same on stdout.',
    )
  }
  const isOurs = found.size <= maxBytes && isReadyText(await readFile(path, 'utf8'))
  if (!isOurs) throw misuse(`"${path}" was not written by --ready-file and was left unchanged.`, 'Choose another file.')
  await removeFile(path)
}

/** Removes the file at shutdown. Reports a failure but does not fail the shutdown. */
export async function withdrawFile(path: string, say: (words: string) => void): Promise<void> {
  await removeFile(path).catch((error: Error) => {
    say(`"${path}" could not be removed and still describes the stopped server: ${error.message}`)
  })
}

/** A script may create the file empty beforehand. */
function isReadyText(text: string): boolean {
  const ready = parseJson(text)
  return text.trim() === '' || (isObject(ready) && typeof ready.url === 'string' && typeof ready.pid === 'number')
}
