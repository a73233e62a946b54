/** Parts of the build that take long, made anew only where what they are made of has changed. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/**
 * Puts a file or folder into `<made>`: the one of the last build while its sources are the same.
 *
 * @param {{ root: string, made: string, name: string, sources: readonly string[] }} part
 * @param {(place: string) => Promise<unknown>} make
 */
export async function keepOrMake({ root, made, name, sources }, make) {
  const [kept, place] = [join(root, 'dist', name), join(made, name)]
  const keyName = `.${name.split('.')[0]}-key`
  const keptKey = join(root, 'dist', keyName)
  const key = keyOf(root, sources)
  if (existsSync(kept) && existsSync(keptKey) && readFileSync(keptKey, 'utf8') === key) {
    cpSync(kept, place, { recursive: true, preserveTimestamps: true })
  } else await make(place)
  writeFileSync(join(made, keyName), key)
}

/** @param {string} root @param {readonly string[]} files */
function keyOf(root, files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${relative(root, file)}\0`).update(readFileSync(file))
  return hash.digest('hex')
}
