import { openInFlight } from '../../core/concurrency/in-flight.js'
import type { FileStore } from './port.js'

/** What takes longer is found later, as after a kill. */
const mostClosingMilliseconds = 5_000

/** A store that closes after its writes and removals: an upload that was cut takes back what it has sent. */
export function awaitingChanges(store: FileStore): FileStore {
  const inFlight = openInFlight()
  return {
    ...store,
    write: (id, bytes) => inFlight.add(store.write(id, bytes)),
    remove: (ids) => inFlight.add(store.remove(ids)),
    async close() {
      await inFlight.settled(mostClosingMilliseconds)
      await store.close()
    },
  }
}
