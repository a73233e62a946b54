/**
 * Loads scripts while the page is idle, before they are used. A restarting emulator cannot serve them, and browsers never
 * retry a module that failed to load.
 */

const scripts: (() => Promise<unknown>)[] = []

/** Registers a lazy script for preloading. */
export function registerPreload<Script>(load: () => Promise<Script>): () => Promise<Script> {
  scripts.push(load)
  return load
}

/** Loads the registered scripts one after the other. */
export async function preloadScripts(): Promise<void> {
  for (const load of scripts) {
    await new Promise<unknown>((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve))
    await load().catch(() => undefined)
  }
}
