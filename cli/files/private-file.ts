/** Files that a user names, and whose content nobody else is to read. */
import { pipeline } from 'node:stream/promises'
import { writePrivateFile } from '../target/emulator-file.js'
import { openDevice, realPlace } from './places.js'

/** The file is as it was, or whole, and nobody else reads it. A device or a pipe is written to as it is. */
export function replacePrivateFile(place: string, content: string | Uint8Array): Promise<void> {
  const device = openDevice(place)
  return device ? pipeline([content], device) : writePrivateFile(realPlace(place), content)
}
