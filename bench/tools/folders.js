/** Creates temporary folders that are removed when the bench ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const place = mkdtempSync(join(tmpdir(), 'svc-bench-'))
process.once('exit', () => rmSync(place, { recursive: true, force: true }))
let folders = 0

/** Returns a path that does not exist yet. */
export function newPath() {
  return join(place, String(folders++))
}

/** Copies a folder that no process has open. @param {string} folder */
export async function copyFolder(folder) {
  const copy = newPath()
  await cp(folder, copy, { recursive: true })
  await rm(join(copy, 'lock'), { force: true })
  return copy
}
