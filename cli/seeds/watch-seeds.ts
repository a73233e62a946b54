/** Seed files that are followed while the emulator runs: what is saved is applied, and what a file says no more stays. */
import { resolve } from 'node:path'
import { describeFailure } from '../base/failure.js'
import { watchContent } from '../files/watch-content.js'
import { type SeedOptions, seedChanges, seededNote } from './seed-inputs.js'

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
    stops.push(watchContent(resolve(file), onChange))
  }
  return () => {
    for (const stop of stops) stop()
    return work
  }
}
