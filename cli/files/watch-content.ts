/** A file of this machine that is followed while it is edited. */
import { createHash } from 'node:crypto'
import { type FSWatcher, readFileSync, unwatchFile, watch, watchFile } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Editors write a file in several steps; what they have done within this time is one change. */
const settleMilliseconds = 20
/** Some disks, as those of other machines, notify of nothing. */
const pollMilliseconds = 1_000

/** Calls `onChange` each time that the file is there with other bytes, until the answered function is called. */
export function watchContent(path: string, onChange: () => void): () => void {
  let hash = hashOf(path)
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const found = hashOf(path)
      if (found === undefined || found === hash) return
      hash = found
      onChange()
    }, settleMilliseconds)
  }
  const folder = watchFolder(dirname(path), (name) => name === basename(path) && look())
  watchFile(path, { interval: pollMilliseconds, persistent: false }, look)
  return () => {
    clearTimeout(timer)
    folder?.close()
    unwatchFile(path, look)
  }
}

/** The folder rather than the file, which many editors replace by another one. */
function watchFolder(folder: string, onName: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => onName(name))
    return watcher.on('error', () => watcher.close())
  } catch {
    return undefined
  }
}

function hashOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return undefined
  }
}
