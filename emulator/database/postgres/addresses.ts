/** Addresses of servers: one, or several of which one is the primary. */
import { StartError } from '../start-error.js'
import { openTls, type Secured } from './tls.js'

/** An address whose user and password may change while the process runs. */
export interface RotatedAddress {
  /** As it was at the start. */
  readonly url: string
  /** The same servers and database, with the user and password of now. */
  current(): string
}

export type Address = string | RotatedAddress

/** One server of an address. */
export interface Server {
  /** As it was at the start. */
  readonly address: string
  /** With the user, password and certificates of now: to be asked for each connection. @throws as `openTls` */
  secured(): Secured
}

/** A server for each host of an address. @throws as `addressesOf` */
export function serversOf(named: Address, flag?: string): readonly Server[] {
  const { url, current } = typeof named === 'string' ? { url: named, current: () => named } : named
  return addressesOf(url, flag).map((address, at) => {
    const secured = openTls()
    return { address, secured: () => secured(addressesOf(current(), flag)[at] ?? address) }
  })
}

/**
 * An address for each host that one address names: `postgres://user@one:5432,other:5432/database`.
 *
 * @throws {StartError} `DATABASE_UNREACHABLE` for what names no server; it may hold a password, so it is not repeated
 */
export function addressesOf(url: string, flag = '--database-url'): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const addresses = hosts.split(',').map((host) => withoutTarget(`${before}${host}${after}`))
  // The driver would take any other text for the name of a database somewhere.
  if (before !== '' && addresses.every((address) => URL.canParse(address))) return addresses
  throw new StartError(
    'DATABASE_UNREACHABLE',
    `What ${flag} says is not the address of a PostgreSQL server.`,
    'Write it as postgres://user:password@host:5432/database, with several hosts as one:5432,other:5432. In a password, # is %23, / is %2F, @ is %40 and % is %25.',
  )
}

/** Other drivers have to be told to look for the primary. */
function withoutTarget(address: string): string {
  return address.replace(/([?&])target_session_attrs=[^&#]*&?/, '$1').replace(/[?&]$/, '')
}

/** What may be said of them: neither user nor password. @throws as `addressesOf` */
export function shownAddresses(url: string): readonly string[] {
  return addressesOf(url).map(withoutPassword)
}

/** Whether two addresses differ in user and password alone; false as well for what is not an address. */
export function isSamePlace(one: string, other: string): boolean {
  try {
    const [places, others] = [one, other].map((url) => addressesOf(url).map(withoutCredentials).join(' '))
    return places === others
  } catch {
    return false
  }
}

/** Whether two addresses name other servers, as where one leads through a pooler. @throws as `addressesOf` */
export function areElsewhere(one: Address, other: Address): boolean {
  const [places, others] = [one, other].map((named) => {
    const addresses = addressesOf(typeof named === 'string' ? named : named.url).map((address) => new URL(address))
    return addresses
      .map(({ hostname, port }) => `${hostname}:${port || 5432}`)
      .sort()
      .join()
  })
  return places !== others
}

function withoutCredentials(address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  // The driver takes them from here as well.
  url.searchParams.delete('user')
  url.searchParams.delete('password')
  return url.href.replace(/^postgresql:/, 'postgres:')
}

function withoutPassword(address: string): string {
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`
}
