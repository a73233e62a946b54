/** Compares the stored files of both sides, and copies those that one side lacks. Folder, name and size identify a file. */
import type { StoredFile } from '../../client/protocol/model/file.js'
import type { Client } from '../base/service-command.js'
import { allFiles } from '../files/stored-files.js'
import type { Sides } from './plan.js'

export interface FilePlan {
  readonly same: number
  readonly onlyHere: readonly StoredFile[]
  readonly onlyThere: readonly StoredFile[]
}

export async function planFiles({ local, remote }: Sides): Promise<FilePlan> {
  const [here, there] = [await allFiles(local), await allFiles(remote)]
  const onlyThere = without(there, here)
  return { same: there.length - onlyThere.length, onlyHere: without(here, there), onlyThere }
}

/** Returns the files without those that `others` has, one for one. */
function without(files: readonly StoredFile[], others: readonly StoredFile[]): StoredFile[] {
  const left = new Map<string, number>()
  for (const file of others) left.set(toKey(file), (left.get(toKey(file)) ?? 0) + 1)
  return files.filter((file) => {
    const count = left.get(toKey(file)) ?? 0
    left.set(toKey(file), count - 1)
    return count <= 0
  })
}

function toKey({ path, name, size }: StoredFile): string {
  return JSON.stringify([path, name, size])
}

interface Copying {
  readonly from: Client
  readonly to: Client
  readonly signal: AbortSignal
}

/** Copies one file after another, so that a stopped run leaves no more than one upload with an unknown outcome. */
export async function copyFiles(files: readonly StoredFile[], { from, to, signal }: Copying): Promise<void> {
  for (const { url, name, path, mimeType } of files) {
    if (signal.aborted) return
    const { body } = await from.files.download(url, { signal })
    const bytes = await new Response(body).blob()
    await to.files.upload(new File([bytes], name, { type: mimeType }), { path })
  }
}
