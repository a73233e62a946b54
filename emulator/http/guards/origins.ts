/** Who may call from where: the `Host` that a request names, and the `Origin` of the page that made it. Contract 10.5. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isLoopbackName } from '../../../client/protocol/model/loopback.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'

/**
 * Refuses names that are neither this machine's own nor configured, so that no page reaches the service
 * by pointing a name of its own at it. Our choice: 403 `FORBIDDEN`; a `Host` that cannot be read is 400.
 */
export function openHostCheck(hosts: readonly string[]): (host: string | undefined) => void {
  const named = new Set(hosts.map((name) => name.toLowerCase()))
  const welcome = new Set<string>()
  return (host) => {
    if (host !== undefined && welcome.has(host)) return
    const name = hostName(host)
    if (name === undefined) throw new SvcError('INVALID_QUERY', 'The "Host" header cannot be read.')
    if (!isLoopbackName(name) && !named.has(name)) {
      const message = `Host "${name.slice(0, 80)}" is not allowed; add it with --allowed-host.`
      throw new SvcError('FORBIDDEN', message, [], { reason: { kind: 'host', host: name.slice(0, 255) } })
    }
    if (host !== undefined && welcome.size < 100) welcome.add(host)
  }
}

/** Refuses a request that names two hosts, since a proxy and this service may read different ones. @throws {SvcError} */
export function requireOneHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++
  if (hosts > 1) throw new SvcError('INVALID_QUERY', 'The request has more than one "Host" header.')
}

function hostName(host: string | undefined): string | undefined {
  const [, name, port = '0'] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/.exec(host?.toLowerCase() ?? '') ?? []
  return Number(port) < 65_536 ? name : undefined
}

export interface OriginRules {
  /** Origins the project's owner allows. */
  readonly allowed: readonly string[]
  /** Whether pages of any server under that name may call: on a developer's machine those of the machine itself, and of allowed hosts. */
  readonly isOpenTo: (name: string) => boolean
}

/** Whether a page of that origin may call. Without an `Origin`, no page is asking. */
export function mayCall(origin: string | undefined, host: string | undefined, rules: OriginRules): boolean {
  if (origin === undefined || isOwnOrigin(origin, host)) return true
  if (origin === 'null') return false
  const name = nameOf(origin)
  if (name !== undefined && rules.isOpenTo(name)) return true
  return rules.allowed.some((allowed) => sameOrigin(allowed, origin))
}

/** @throws {SvcError} `ORIGIN_NOT_ALLOWED` */
export function requireOrigin(origin: string | undefined, host: string | undefined, rules: OriginRules): void {
  if (!mayCall(origin, host, rules)) throw foreignOrigin(origin, rules)
}

export function foreignOrigin(origin = '', { allowed, isOpenTo }: OriginRules): SvcError {
  const shown = origin.slice(0, 200)
  const name = nameOf(origin)
  // An emulator is open to pages of its machine, under the names that it was told.
  const ownName = name !== undefined && isOpenTo('localhost') && ownHostNames().includes(name) ? name : undefined
  const reason: Reason = { kind: 'origin', origin: shown, allowed, ownName }
  const way = ownName === undefined ? '' : ` It is this machine: allow it with --allowed-host ${ownName}.`
  return new SvcError('ORIGIN_NOT_ALLOWED', `Pages of "${shown}" may not call this service.${way}`, [], { reason })
}

/** The names and addresses by which other machines may call this one, as URLs write them. */
function ownHostNames(): string[] {
  const name = hostname().toLowerCase()
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
  return [name, `${name}.local`, ...addresses.map((address) => (address.includes(':') ? `[${address}]` : address))]
}

/** Whether the page came from this very service. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
}

function sameOrigin(allowed: string, origin: string): boolean {
  return allowed.replace(/\/$/, '').toLowerCase() === origin.toLowerCase()
}

/** The host of a page that a server has answered. */
function nameOf(origin: string): string | undefined {
  return hostName(/^https?:\/\/(.+)$/.exec(origin)?.[1])
}

/** Whose pages may call without being allowed by a project, under the names that requests may use beside this machine's own. */
export function openToNames(hosts: readonly string[]): OriginRules['isOpenTo'] {
  const named = new Set(hosts.map((name) => name.toLowerCase()))
  return (name) => isLoopbackName(name) || named.has(name)
}

/** What an answer to an allowed page says, so that the page may read it. Contract 10.9. */
export function originHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined) return { vary: 'origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    vary: 'origin',
  }
}

/** What a proxy may believe, or stands for the owner: no page of another origin sends it. */
const neverAllowed = /^(svc-control-token|forwarded|x-forwarded-.*)$/

/** The headers a preflight may have allowed: those it names, as tracing and pages add their own. Contract 10.9. */
function allowedHeaders(asked = ''): string {
  const names = asked
    .toLowerCase()
    .split(',', mostHeaders)
    .map((name) => name.trim())
  return names.filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !neverAllowed.test(name)).join(', ')
}

const mostHeaders = 100

/**
 * What the preflight of a page that may call some project receives; the real request is checked against the project's own origins
 * before anything else happens. Never that pages of the internet may reach into a private network.
 */
export function preflightHeaders({ origin, 'access-control-request-headers': asked }: IncomingHttpHeaders) {
  return {
    ...originHeaders(origin),
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': allowedHeaders(asked),
    'access-control-max-age': '600',
    vary: 'origin, access-control-request-headers',
  }
}

const exposed = [
  'svc-dialect',
  'x-total-count',
  'x-limit',
  'svc-error-code',
  'etag',
  'x-request-id',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'preference-applied',
  // Of files.
  'accept-ranges',
  'content-range',
  'content-disposition',
].join(', ')
