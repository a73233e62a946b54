import type { ProviderFault } from '../../../client/protocol/model/provider-login.js'
import type { ProviderFaults } from '../provider.js'

/** Limits the clients with faults; no test run needs this many. */
const maxClients = 1_000

interface Standing {
  readonly fault: ProviderFault
  /** Logins left; `null` until the fault is cleared. */
  left: number | null
}

/** Holds the faults for the next logins of a client, or of every client without its own. In memory only. */
export interface LoginFaults extends ProviderFaults {
  /** Takes the fault for the login that is being decided. */
  take(client: string): ProviderFault | undefined
}

const everyClient = ''

export function openFaults(): LoginFaults {
  const standing = new Map<string, Standing>()
  return {
    set({ fault, times, client = everyClient }) {
      standing.delete(client)
      standing.set(client, { fault, left: times })
      const [oldest] = standing.keys()
      if (standing.size > maxClients && oldest !== undefined) standing.delete(oldest)
    },
    clear(client) {
      if (client === undefined) standing.clear()
      else standing.delete(client)
    },
    list: () => [...standing].map(([client, { fault, left }]) => ({ fault, times: left, client: client || undefined })),
    take(client) {
      const name = standing.has(client) ? client : everyClient
      const next = standing.get(name)
      if (!next) return undefined
      if (next.left !== null) next.left -= 1
      if (next.left === 0) standing.delete(name)
      return next.fault
    },
  }
}
