/** Files that a user names for what a command makes. */
import { writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { openDevice, realPlace } from './places.js'
import { type Replacing, replaceByDraft } from './replace-file.js'

/** The file is as it was, or whole. A device, a pipe or what a shell has opened is written to as it is. */
export async function replaceWhole(place: string, content: string, options?: Replacing): Promise<void> {
  const device = openDevice(place)
  if (device) return pipeline([content], device)
  await replaceByDraft(realPlace(place), (draft, mode) => writeFile(draft, content, { flag: 'wx', mode }), options)
}
