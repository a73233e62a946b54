/** Finds the folder for the data of a Git branch, named like the branch as far as file systems allow. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeStateFolder, requireNoLink } from '../database/pglite/folder-place.js'

/** File with the branch's name, which `svc status` reads too. */
const nameFile = 'branch'
/** Older versions saved no name. The first branch that opens such a folder takes it. */
const nobody = ''

/**
 * Creates or finds the folder of a branch. Another branch may already use that name, because names are truncated and
 * some file systems ignore case. Then appends a hash to the name.
 *
 * @throws {StartError} `FOLDER_NOT_WRITABLE` if the folder is behind a symbolic link
 */
export async function openBranchFolder(branches: string, branch: string): Promise<string> {
  // Branch names can contain slashes but no `~`. The result never starts with a dot and fits the length limit of file
  // names.
  const name = encodeURIComponent(branch).replace(/^\.+/, '%2E').slice(0, 200)
  const hash = createHash('sha256').update(branch).digest('hex').slice(0, 12)
  const places = { named: join(branches, name), hashed: join(branches, `${name.slice(0, 150)}~${hash}`) }
  for (const place of [branches, ...Object.values(places)]) {
    requireNoLink(place)
    requireNoLink(join(place, nameFile))
  }
  const owner = await readFile(join(places.named, nameFile), 'utf8').catch(() => nobody)
  const isFree = [nobody, branch].includes(owner) && !existsSync(places.hashed)
  const place = isFree ? places.named : places.hashed
  await makeStateFolder(place)
  if (!isFree || owner === nobody) await writeFile(join(place, nameFile), branch, { mode: 0o600 })
  return place
}
