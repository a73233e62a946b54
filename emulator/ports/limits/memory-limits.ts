import type { Limits } from './port.js'

/** Serves one process. With more than `maxWindows` windows, the oldest start over. */
export function openMemoryLimits(maxWindows = 50_000): Limits {
  const windows = new Map<string, { readonly window: number; reserved: number }>()

  function getWindow(name: string, window: number) {
    const known = windows.get(name)
    if (known?.window === window) return known
    const fresh = { window, reserved: 0 }
    windows.delete(name)
    windows.set(name, fresh)
    const [oldest] = windows.keys()
    if (windows.size > maxWindows && oldest !== undefined) windows.delete(oldest)
    return fresh
  }

  return {
    sliceSize: () => 1,
    async reserve({ name, window, requested, most }) {
      const counter = getWindow(name, window)
      const granted = Math.max(0, Math.min(requested, most - counter.reserved))
      counter.reserved += granted
      return { granted, reserved: counter.reserved }
    },
  }
}
