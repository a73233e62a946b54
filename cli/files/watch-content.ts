/** Watches a file while the user edits it. */
import { createHash } from 'node:crypto'
import { type FSWatcher, readFileSync, unwatchFile, watch, watchFile } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Debounce time, because editors save in several steps. */
const settleMilliseconds = 20
/** Polls too, because network file systems may send no events. */
const pollMilliseconds = 1_000

/** Calls `onChange` whenever the file's content changes, until the returned function is called. */
export function watchContent(path: string, onChange: () => void): () => void {
  let hash = hashContent(path)
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const found = hashContent(path)
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

/** Watches the folder, because many editors replace the file on save. */
function watchFolder(folder: string, onName: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => onName(name))
    return watcher.on('error', () => watcher.close())
  } catch {
    return undefined
  }
}

function hashContent(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return undefined
  }
}
