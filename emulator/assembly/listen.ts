import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from '../database/start-error.js'
import type { ServerHandlers } from '../http/server.js'
import { closeServer, openServer } from '../http/sockets.js'

/** Servers that listen on one port. */
export interface Listening {
  readonly port: number
  /** The host to use in URLs. */
  readonly host: string
  /** Lets the process exit while the servers are open. */
  unref(): void
  /** Refuses new requests, waits for those in progress, and cuts off those that take too long. */
  close(): Promise<void>
}

interface Place {
  readonly host: string | undefined
  readonly port: number
  /** The flag that sets the port, for error messages. */
  readonly portFlag?: string
  /** Time for requests in progress to finish, read on close. */
  readonly maxClosingMilliseconds?: () => number
}

/** This machine only, on both loopback addresses. */
const loopback = { first: '127.0.0.1', second: '::1' }

/**
 * Listens on a port of one address or, by default, of both loopback addresses. Uses IPv4 alone on a machine without
 * IPv6.
 *
 * @throws {StartError} `PORT_IN_USE` or `NO_SUCH_HOST`
 */
export async function listen(app: ServerHandlers, place: Place): Promise<Listening> {
  const { host, port, maxClosingMilliseconds } = place
  try {
    const servers = host === undefined ? await openLoopback(app, port) : [await open(app, host, port)]
    const [{ port: actual }] = servers.map((server) => server.address() as AddressInfo) as [AddressInfo]
    return {
      port: actual,
      host: writtenHost(host),
      unref() {
        for (const server of servers) server.unref().on('connection', (socket) => socket.unref())
      },
      async close() {
        app.close()
        const most = maxClosingMilliseconds?.()
        await Promise.all(servers.map((server) => closeServer(server, most)))
      },
    }
  } catch (error) {
    throw cannotListen(error, place)
  }
}

/** Shares a timeout between ports that close one after another: each gets the rest, and at least a second. */
export function closingTime(totalMilliseconds: number): () => number {
  let cutAt: number | undefined
  return () => {
    cutAt ??= performance.now() + totalMilliseconds
    return Math.max(cutAt - performance.now(), Math.min(totalMilliseconds, 1_000))
  }
}

/**
 * Checks that the port is free by listening briefly. A client that connects meanwhile is disconnected, as if the port
 * were closed.
 *
 * @throws {StartError} `PORT_IN_USE` or `NO_SUCH_HOST`
 */
export async function requireFreePort(place: Place): Promise<void> {
  const cutOff: ServerHandlers = {
    answer: ({ socket }) => void socket.destroy(),
    upgrade: (_req, socket) => void socket.destroy(),
    close: () => undefined,
  }
  const listening = await listen(cutOff, { ...place, maxClosingMilliseconds: () => 0 })
  await listening.close()
}

function cannotListen(error: unknown, { host, port, portFlag = '--port' }: Place): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    const hint = `Choose another one with ${portFlag}, or 0 for a free one.`
    return new StartError('PORT_IN_USE', `Port ${port} is in use.`, hint, error)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const hint = 'Set one with --host, or 0.0.0.0 for all.'
    return new StartError('NO_SUCH_HOST', `"${host}" is not an address of this machine.`, hint, error)
  }
  return error
}

async function openLoopback(app: ServerHandlers, port: number): Promise<Server[]> {
  for (let tries = 1; ; tries++) {
    const first = await open(app, loopback.first, port)
    try {
      const { port: taken } = first.address() as AddressInfo
      return [first, await open(app, loopback.second, taken)]
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return [first]
      await closeServer(first)
      // Tries again, because a free port on one address may be taken on the other.
      if (port !== 0 || tries === 20) throw error
    }
  }
}

function open(app: ServerHandlers, host: string, port: number): Promise<Server> {
  const server = openServer(app)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, ipv6Only: host === loopback.second }, () => {
      server.off('error', reject)
      resolve(server)
    })
  })
}

function writtenHost(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return loopback.first
  return host.includes(':') ? `[${host}]` : host
}
