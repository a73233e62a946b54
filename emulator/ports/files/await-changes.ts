import { openInFlight } from '../../core/concurrency/in-flight.js'
import type { FileStore } from './port.js'

/** After this, leftovers are cleaned up later, as after a crash. */
const maxClosingMilliseconds = 5_000

/** Closes only after writes and removals, so that a cut upload can delete what it has stored. */
export function awaitChanges(store: FileStore): FileStore {
  const inFlight = openInFlight()
  return {
    ...store,
    write: (id, bytes) => inFlight.add(store.write(id, bytes)),
    remove: (ids) => inFlight.add(store.remove(ids)),
    async close() {
      await inFlight.settled(maxClosingMilliseconds)
      await store.close()
    },
  }
}
