import type { Bus } from './port.js'

/** For one process, which is every writer's own. */
export function openMemoryBus(): Bus {
  const listeners = new Set<(project: string | undefined) => void>()
  return {
    wake(project) {
      for (const listener of listeners) listener(project)
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
    },
  }
}
