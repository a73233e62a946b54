/** Writes files that only the user can read. */
import { pipeline } from 'node:stream/promises'
import { writePrivateFile } from '../target/emulator-file.js'
import { openDevice, realPlace } from './places.js'

/** Replaces the file atomically. Writes directly to a device or pipe. */
export function replacePrivateFile(place: string, content: string | Uint8Array): Promise<void> {
  const device = openDevice(place)
  return device ? pipeline([content], device) : writePrivateFile(realPlace(place), content)
}
