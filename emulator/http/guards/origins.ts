/** Checks where requests come from: their `Host`, and the `Origin` of the page that sent them. Contract 10.5. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { isLoopbackName } from '../../../client/protocol/model/loopback.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'

/**
 * Refuses hosts that are neither this machine's own nor configured. This prevents DNS rebinding. Our choice: 403 `FORBIDDEN`;
 * 400 for an invalid `Host`.
 */
export function openHostCheck(hosts: readonly string[]): (host: string | undefined) => void {
  const named = new Set(hosts.map((name) => name.toLowerCase()))
  const welcome = new Set<string>()
  return (host) => {
    if (host !== undefined && welcome.has(host)) return
    const name = hostName(host)
    if (name === undefined) throw new SvcError('INVALID_QUERY', 'The "Host" header is invalid.')
    if (!isLoopbackName(name) && !named.has(name)) {
      const message = `Host "${name.slice(0, 80)}" is not allowed. Add it with --allowed-host.`
      throw new SvcError('FORBIDDEN', message, [], { reason: { kind: 'host', host: name.slice(0, 255) } })
    }
    if (host !== undefined && welcome.size < 100) welcome.add(host)
  }
}

/**
 * Refuses a request with two hosts, because a proxy and this service may pick different ones.
 *
 * @throws {SvcError}
 */
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
  /** Origins that the project's owner allows. */
  readonly allowed: readonly string[]
  /**
   * Whether pages under a host name may call, whatever their port. On a developer's machine: pages of the machine itself and of
   * allowed hosts.
   */
  readonly isOpenTo: (name: string) => boolean
}

/** Whether a page of that origin may call. A request without `Origin` doesn't come from a page. */
export function mayCall(origin: string | undefined, host: string | undefined, rules: OriginRules): boolean {
  if (origin === undefined || isOwnOrigin(origin, host)) return true
  if (origin === 'null') return false
  const name = parseHostName(origin)
  if (name !== undefined && rules.isOpenTo(name)) return true
  return rules.allowed.some((allowed) => sameOrigin(allowed, origin))
}

/** @throws {SvcError} `ORIGIN_NOT_ALLOWED` */
export function requireOrigin(origin: string | undefined, host: string | undefined, rules: OriginRules): void {
  if (!mayCall(origin, host, rules)) throw foreignOrigin(origin, rules)
}

export function foreignOrigin(origin = '', { allowed, isOpenTo }: OriginRules): SvcError {
  const shown = origin.slice(0, 200)
  const name = parseHostName(origin)
  // Suggests the flag only for the emulator, and only for names of this machine.
  const ownName = name !== undefined && isOpenTo('localhost') && ownHostNames().includes(name) ? name : undefined
  const reason: Reason = { kind: 'origin', origin: shown, allowed, ownName }
  const way = ownName === undefined ? '' : ` It is this machine: allow it with --allowed-host ${ownName}.`
  return new SvcError('ORIGIN_NOT_ALLOWED', `Pages of "${shown}" may not call this service.${way}`, [], { reason })
}

/** Returns the names and addresses under which other machines can reach this one, as URLs write them. */
function ownHostNames(): string[] {
  const name = hostname().toLowerCase()
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
  return [name, `${name}.local`, ...addresses.map((address) => (address.includes(':') ? `[${address}]` : address))]
}

/** Whether the page came from this service. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
}

function sameOrigin(allowed: string, origin: string): boolean {
  return allowed.replace(/\/$/, '').toLowerCase() === origin.toLowerCase()
}

/** Returns the host of a page served over HTTP. */
function parseHostName(origin: string): string | undefined {
  return hostName(/^https?:\/\/(.+)$/.exec(origin)?.[1])
}

/** Returns a test for the host names whose pages may call without permission from a project. */
export function openToNames(hosts: readonly string[]): OriginRules['isOpenTo'] {
  const named = new Set(hosts.map((name) => name.toLowerCase()))
  return (name) => isLoopbackName(name) || named.has(name)
}

/** Returns the headers that let an allowed page read the answer. Contract 10.9. */
export function originHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined) return { vary: 'origin' }
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    vary: 'origin',
  }
}

/** Headers that a proxy trusts or that stand for the owner. Pages of other origins may not send them. */
const neverAllowed = /^(svc-control-token|forwarded|x-forwarded-.*)$/

/**
 * Returns the requested headers that a preflight may allow. Allows unknown names, because tracing and pages add their own.
 * Contract 10.9.
 */
function allowedHeaders(asked = ''): string {
  const names = asked
    .toLowerCase()
    .split(',', maxHeaders)
    .map((name) => name.trim())
  return names.filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !neverAllowed.test(name)).join(', ')
}

const maxHeaders = 100

/**
 * Answers the preflight of a page that some project allows. The real request is then checked against its own project first.
 * Never allows pages of the internet to reach into a private network.
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
  'svc-seq',
  'svc-error-code',
  'etag',
  'x-request-id',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'preference-applied',
  // For files.
  'accept-ranges',
  'content-range',
  'content-disposition',
].join(', ')
