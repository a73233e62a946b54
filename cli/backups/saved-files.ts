/** Backs up stored files with their folders, ready for `svc files upload`. */
import { mkdir, open } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Client } from '../../client/index.js'
import type { StoredFile } from '../../client/protocol/model/file.js'
import { placesFor, writeLocalFile } from '../files/local-files.js'
import { failAt, transfer } from '../files/transfers.js'
import type { Progress } from '../terminal/progress.js'
import { shownPath, writing } from './backup-file.js'

export interface SavedFiles {
  /** Folder of the backup. */
  readonly path: string
  /** Files and folders at the top level. */
  readonly entries: readonly string[]
}

/**
 * Saves all files or fails.
 *
 * @throws {CliFailure} `BACKUP_FAILED` if a file cannot be written
 */
export async function saveFiles(
  { files }: Client,
  stored: readonly StoredFile[],
  folder: string,
  progress: Progress,
): Promise<SavedFiles> {
  await writing(() => mkdir(folder, { mode: 0o700 }))
  const placed = placesFor(stored, folder)
  await transfer(placed, progress, async ({ file, place }, onBytes) => {
    const bytes = await files.download(file).catch(failAt(place))
    await writing(async () => {
      await writeLocalFile(place, bytes, { isReplacing: false, onBytes, mode: 0o600, below: folder })
      await sync(place)
    })
  })
  const tops = placed.map(({ place }) => relative(folder, place).split(sep)[0] ?? '')
  return { path: shownPath(folder), entries: [...new Set(tops)].map((top) => shownPath(join(folder, top))) }
}

async function sync(place: string): Promise<void> {
  const file = await open(place, 'r+')
  await file.sync().finally(() => file.close())
}
