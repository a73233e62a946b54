/** Files that a user names, and whose content nobody else is to read. */
import { writeFile } from 'node:fs/promises'
import { writePrivateFile } from '../target/emulator-file.js'
import { isDevice, realPlace } from './places.js'

/** The file is as it was, or whole, and nobody else reads it. A device or a pipe is written to as it is. */
export function replacePrivateFile(place: string, content: string | Uint8Array): Promise<void> {
  return isDevice(place) ? writeFile(place, content) : writePrivateFile(realPlace(place), content)
}
