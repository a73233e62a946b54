/** Keeps writes and the last known lists in the browser, so that an app works without a connection and after a reload. */
import type { Persistence } from '../store/persistence.js'
import { type Browser, type OfflineOptions, openPersistent } from './persistent.js'
import { openShown } from './shown.js'

export type { Decision, Persistence, QueuedWrite } from '../store/persistence.js'
export type { OfflineOptions } from './persistent.js'
export type { OnConflict, Versions } from './queue.js'

/**
 * Keeps writes and lists in the browser. Pass it to the store.
 *
 * @example
 * import { offline } from 'svc-toolkit-client/offline'
 * import { openStore } from 'svc-toolkit-client/store'
 *
 * const openOffline = () => openStore(svc, { persist: offline({ onConflict: () => 'discard' }) })
 */
export function offline(options: OfflineOptions = {}, browser: Browser = findBrowser()): Persistence {
  return {
    open: (client, shown) => openShown((events) => openPersistent(client, events, options, browser), shown),
  }
}

function findBrowser(): Browser {
  const { indexedDB, navigator } = globalThis
  return {
    ...{ indexedDB, locks: navigator?.locks, openChannel: (name) => new BroadcastChannel(name) },
    onOnline(callback) {
      globalThis.addEventListener?.('online', callback)
      return () => globalThis.removeEventListener?.('online', callback)
    },
  }
}
