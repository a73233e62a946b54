/** Where the data of a branch are: in a folder that is called as it is, as far as disks allow. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeStateFolder, requireNoLink } from './database/pglite/folder-place.js'

/** Says in the folder of a branch whose it is. `svc status` reads it too. */
const nameFile = 'branch'
/** Older versions have kept no name: such a folder is of whoever comes first. */
const nobody = ''

/**
 * The folder of a branch, which is made where it is missing. Another branch may have the one of its name already: names are cut, and
 * to some disks `Fix` is `fix`. Then it has one that is called by its hash as well.
 *
 * @throws {StartError} `FOLDER_NOT_WRITABLE` where it is behind a link
 */
export async function openBranchFolder(branches: string, branch: string): Promise<string> {
  // Names of branches hold slashes and no `~`. None begins with a dot or is that long once it is a name of a file.
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
