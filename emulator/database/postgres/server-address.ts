import { StartError } from '../start-error.js'
import { openTls, type Secured } from './tls.js'

export interface Server {
  readonly address: string
  /** Reads the certificates again; call it for each connection. @throws as `openTls` */
  secured(): Secured
}

/** @throws as `requireAddress` */
export function openServer(address: string, flag?: string): Server {
  requireAddress(address, flag)
  const secured = openTls()
  return { address, secured: () => secured(address) }
}

/** @throws {StartError} `DATABASE_UNREACHABLE`, without the address, because it may contain a password */
function requireAddress(address: string, flag = '--database-url'): void {
  const [, hosts] = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(address) ?? []
  if (hosts?.includes(',')) {
    throw new StartError(
      'DATABASE_UNREACHABLE',
      `The address in ${flag} names several hosts.`,
      'Use one that leads to the primary: that of your provider, of a pooler, or of HAProxy in front of the servers.',
    )
  }
  // The driver would take any other text for the name of a database.
  if (hosts !== undefined && URL.canParse(address)) return
  throw new StartError(
    'DATABASE_UNREACHABLE',
    `${flag} is not the address of a PostgreSQL server.`,
    'Write it as postgres://user:password@host:5432/database. In a password, # is %23, / is %2F, @ is %40 and % is %25.',
  )
}

/** Returns the address without user and password. @throws as `requireAddress` */
export function shownAddress(address: string): string {
  requireAddress(address)
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname}`
}

/**
 * Whether two addresses name different servers, for example because one leads through a pooler.
 * @throws as `requireAddress`
 */
export function areElsewhere(...addresses: readonly [string, string]): boolean {
  const [one, other] = addresses.map((address) => {
    requireAddress(address)
    const { hostname, port } = new URL(address)
    return `${hostname}:${port || 5432}`
  })
  return one !== other
}
