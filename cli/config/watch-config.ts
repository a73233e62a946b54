import { type FSWatcher, readFileSync, unwatchFile, watch, watchFile } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { SvcConfig } from '../../client/protocol/model/project.js'
import type { FolderConfig } from './folder-config.js'

/** Editors write a file in several steps; what they have done within this time is read at once. */
const settleMilliseconds = 20
/** Some disks, as those of other machines, notify of nothing. */
const pollMilliseconds = 1_000

interface Receivers {
  readonly onChange: (config: SvcConfig) => Promise<void>
  /** Receives what is wrong with the file, or with what it says. What was in effect stays in effect. */
  readonly onBroken: (error: unknown) => void
}

/** Reads the file again each time it is saved, until the answered function is called. */
export function watchConfig(
  { path = '', read }: Pick<FolderConfig, 'path' | 'read'>,
  { onChange, onBroken }: Receivers,
): () => void {
  let text = textOf(path)
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()

  function look() {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const found = textOf(path)
      if (found === text || found === undefined) return
      text = found
      work = work.then(() => read().then(onChange)).catch(onBroken)
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

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
