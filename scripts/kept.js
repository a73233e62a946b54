/** Caches slow parts of the build until their sources change. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * Copies a file or folder into `<made>`, reused from the last build if its sources are unchanged.
 *
 * @param {{ root: string, made: string, name: string, sources: readonly string[] }} part
 * @param {(place: string) => Promise<unknown>} make
 */
export async function keepOrMake({ root, made, name, sources }, make) {
  const [kept, place] = [join(root, 'dist', name), join(made, name)]
  const keyName = `.${name.split('.')[0]}-key`
  const keptKey = join(root, 'dist', keyName)
  const key = hashSources(root, sources)
  if (existsSync(kept) && existsSync(keptKey) && readFileSync(keptKey, 'utf8') === key) {
    cpSync(kept, place, { recursive: true, preserveTimestamps: true })
  } else await make(place)
  writeFileSync(join(made, keyName), key)
}

/** @param {string} root @param {readonly string[]} files */
function hashSources(root, files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${relative(root, file)}\0`).update(readFileSync(file))
  return hash.digest('hex')
}
