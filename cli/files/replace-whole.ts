/** Writes output files that the user names. */
import { writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { openDevice, realPlace } from './places.js'
import { type Replacing, replaceByDraft } from './replace-file.js'

/** Replaces the file atomically. Writes directly to devices, pipes, and open descriptors. */
export async function replaceWhole(place: string, content: string, options?: Replacing): Promise<void> {
  const device = openDevice(place)
  if (device) return pipeline([content], device)
  await replaceByDraft(realPlace(place), (draft, mode) => writeFile(draft, content, { flag: 'wx', mode }), options)
}
