/** Seed files that are followed while the emulator runs: what is saved is applied, and what a file says no more stays. */
import { createHash } from 'node:crypto'
import { type FSWatcher, readFileSync, unwatchFile, watch, watchFile } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { describeFailure } from '../base/failure.js'
import { type SeedOptions, seedChanges, seededNote } from './seed-inputs.js'

/** Editors write a file in several steps; what they have done within this time is read at once. */
const settleMilliseconds = 30
/** Some disks, as those of other machines, notify of nothing. */
const pollMilliseconds = 1_000

/**
 * Seeds, and applies what is saved until the answered function is called. Of what a file says only that is written which it did not say
 * before, so that what the app has changed meanwhile stays; a broken file changes nothing.
 */
export async function watchSeeds(
  files: readonly string[],
  options: SeedOptions,
  note: (words: string) => void,
): Promise<() => Promise<void>> {
  let work: Promise<void> = Promise.resolve()
  const stops: (() => void)[] = []
  for (const file of files) {
    const changes = seedChanges(file, options)
    // What cannot be seeded at the start ends it, as it does without watching.
    for (const planted of await changes()) if (planted.created > 0) note(seededNote(planted))
    const onChange = () => {
      work = work.then(async () => {
        try {
          const planted = (await changes()).filter(({ created, updated }) => created + updated > 0)
          note(`${file}: ${planted.map(seededNote).join(', ') || 'nothing to do'}`)
        } catch (error) {
          note(`${describeFailure(error).message} What was seeded before stays.`)
        }
      })
    }
    stops.push(watchOne(file, onChange))
  }
  return () => {
    for (const stop of stops) stop()
    return work
  }
}

function watchOne(file: string, onChange: () => void): () => void {
  const path = resolve(file)
  let mark = markOf(path)
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const found = markOf(path)
      if (found === undefined || found === mark) return
      mark = found
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

function markOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return undefined
  }
}
