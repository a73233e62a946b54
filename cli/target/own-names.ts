import { hostname, networkInterfaces } from 'node:os'

/** Returns the addresses of this machine as they appear in URLs. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => (address.includes(':') ? `[${address}]` : address)),
  )
}

/** Returns the names under which other machines can reach this one. */
export function ownHostNames(): string[] {
  return [hostname(), `${hostname()}.local`, ...ownAddresses()]
}
