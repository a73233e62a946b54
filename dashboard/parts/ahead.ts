/**
 * Scripts that are loaded while the page is idle, ahead of their use: an emulator that is restarted cannot be asked for
 * them, and a browser never asks again for a module that it did not get.
 */

const scripts: (() => Promise<unknown>)[] = []

/** A script of its own that is loaded ahead. */
export function ahead<Script>(load: () => Promise<Script>): () => Promise<Script> {
  scripts.push(load)
  return load
}

/** Loads what has not been loaded yet, one after the other. */
export async function loadAhead(): Promise<void> {
  for (const load of scripts) {
    await new Promise<unknown>((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve))
    await load().catch(() => undefined)
  }
}
