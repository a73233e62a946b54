import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Replaces a file atomically. A reader, and a process that is killed, sees the old text or the new one.
 *
 * @throws the error of the file system; the old file stays
 */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  // Uses a random name, because a symbolic link in a cloned folder could point anywhere. Contract 12.4.
  const draft = `${path}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', mode)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
