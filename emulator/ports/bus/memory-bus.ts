import type { Bus } from './port.js'
import { openSubscribers } from './subscribers.js'

/** For one process, which is every writer's own. */
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
