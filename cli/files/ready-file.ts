/** The file of `--ready-file`: it is there as long as what wrote it answers. */
import { lstat, readFile } from 'node:fs/promises'
import { isObject, parseJson } from '../../client/protocol/model/json.js'
import { misuse } from '../base/failure.js'
import { removeFile } from './replace-file.js'

/** More than is ever written there. */
const maxBytes = 64 * 1024

/**
 * Removes what an earlier start has left, which would tell a waiting script that this one is ready.
 *
 * @throws {CliFailure} where something else is there
 */
export async function clearReadyFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return
  if (!found.isFile()) {
    throw misuse(
      `"${path}" is not a regular file, and stays.`,
      'Name another one for --ready-file; --json prints the same on stdout.',
    )
  }
  const isOurs = found.size <= maxBytes && isReadyText(await readFile(path, 'utf8'))
  if (!isOurs) throw misuse(`"${path}" was not written by --ready-file, and stays.`, 'Name another file.')
  await removeFile(path)
}

/** Removes what was written at the start. That it stays is said, and fails no stop: all else has ended as it should. */
export async function withdrawFile(path: string, say: (words: string) => void): Promise<void> {
  await removeFile(path).catch((error: Error) => {
    say(`"${path}" could not be removed, and still names what has stopped: ${error.message}`)
  })
}

/** An empty file is one that a script has made beforehand. */
function isReadyText(text: string): boolean {
  const ready = parseJson(text)
  return text.trim() === '' || (isObject(ready) && typeof ready.url === 'string' && typeof ready.pid === 'number')
}
