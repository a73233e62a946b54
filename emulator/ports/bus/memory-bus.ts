import type { Bus } from './port.js'
import { openSubscribers } from './subscribers.js'

/** Serves a single process. */
export function openMemoryBus(): Bus {
  const { receive, subscribe, clear } = openSubscribers()
  return {
    async publish(messages) {
      receive(messages)
    },
    subscribe,
    async close() {
      clear()
    },
  }
}
