import { hostname, networkInterfaces } from 'node:os'

/** The addresses of this machine, as URLs write them. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => (address.includes(':') ? `[${address}]` : address)),
  )
}

/** The names that other machines may call this one by, once it listens to them. */
export function ownHostNames(): string[] {
  return [hostname(), `${hostname()}.local`, ...ownAddresses()]
}
