/** Watches seed files and re-applies them on save. Never deletes. */
import { resolve } from 'node:path'
import { describeFailure } from '../base/failure.js'
import { watchContent } from '../files/watch-content.js'
import { type SeedOptions, seedChanges, seededNote } from './seed-inputs.js'

/**
 * Seeds, then watches until the returned function is called. Applies only what is new in a file, so the app's own
 * changes stay. An invalid file changes nothing.
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
    // Invalid files fail at the start, as without --watch.
    for (const planted of await changes()) if (planted.created > 0) note(seededNote(planted))
    const onChange = () => {
      work = work.then(async () => {
        try {
          const planted = (await changes()).filter(({ created, updated }) => created + updated > 0)
          note(`${file}: ${planted.map(seededNote).join(', ') || 'nothing to do'}`)
        } catch (error) {
          note(`${describeFailure(error).message} Earlier seed data is unchanged.`)
        }
      })
    }
    stops.push(watchContent(resolve(file), onChange))
  }
  return () => {
    for (const stop of stops) stop()
    return work
  }
}
