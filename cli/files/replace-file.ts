/** Files that are replaced whole, and removed. One that is mounted by itself, as containers do, can be neither: its content is. */
import { createReadStream } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'

/** The file, which is no link, is as it was, or as it is written. @throws what writing throws; the draft is gone then */
export async function replaceByDraft(
  draft: string,
  place: string,
  write: (draft: string) => Promise<unknown>,
): Promise<void> {
  try {
    await write(draft)
    await putInPlace(draft, place)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Puts a draft in the place of a file, which is no link. */
export async function putInPlace(draft: string, place: string): Promise<void> {
  await rename(draft, place).catch(async (error) => {
    requireMounted(error)
    await writeFile(place, createReadStream(draft))
    await rm(draft, { force: true })
  })
}

/** Removes a file, if it is there; one that is mounted by itself stays, and is empty. */
export async function removeFile(place: string): Promise<void> {
  await rm(place, { force: true }).catch(async (error) => {
    requireMounted(error)
    await writeFile(place, '')
  })
}

/** @throws any failure but that of a file that is mounted by itself */
function requireMounted(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error
}
