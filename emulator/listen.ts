import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from './database/start-error.js'
import type { ServerHandlers } from './http/server.js'
import { closeServer, openServer } from './http/sockets.js'

/** Servers that answer on one port. */
export interface Listening {
  readonly port: number
  /** The host to write into an address. */
  readonly host: string
  /** Neither they nor their connections keep the process going from here on. */
  unref(): void
  /** Takes no new request, waits for those at work, and cuts what takes too long. */
  close(): Promise<void>
}

interface Place {
  readonly host: string | undefined
  readonly port: number
  /** What names the port, for who has to choose another. */
  readonly portFlag?: string
  /** How long requests that are at work have to finish, asked when it closes. */
  readonly mostClosingMilliseconds?: () => number
}

/** This machine only, by both of its addresses. */
const loopback = { first: '127.0.0.1', second: '::1' }

/**
 * Listens on a port of one address or, where none is given, of this machine's own two. A machine without
 * IPv6 is served by IPv4 alone.
 *
 * @throws {StartError} `PORT_IN_USE` or `NO_SUCH_HOST`
 */
export async function listen(app: ServerHandlers, place: Place): Promise<Listening> {
  const { host, port, mostClosingMilliseconds } = place
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
        const most = mostClosingMilliseconds?.()
        await Promise.all(servers.map((server) => closeServer(server, most)))
      },
    }
  } catch (error) {
    throw cannotListen(error, place)
  }
}

/** For ports that close one after the other: the first has that long, and each further one what is left of it, a second at least. */
export function closingTime(mostMilliseconds: number): () => number {
  let cutAt: number | undefined
  return () => {
    cutAt ??= performance.now() + mostMilliseconds
    return Math.max(cutAt - performance.now(), Math.min(mostMilliseconds, 1_000))
  }
}

/**
 * Listens there for a moment, to learn whether it can. A client that comes just then is cut off, as if nobody listened yet.
 *
 * @throws {StartError} `PORT_IN_USE` or `NO_SUCH_HOST`
 */
export async function requirePlace(place: Place): Promise<void> {
  const cutOff: ServerHandlers = {
    answer: ({ socket }) => void socket.destroy(),
    upgrade: (_req, socket) => void socket.destroy(),
    close: () => undefined,
  }
  const listening = await listen(cutOff, { ...place, mostClosingMilliseconds: () => 0 })
  await listening.close()
}

function cannotListen(error: unknown, { host, port, portFlag = '--port' }: Place): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    const hint = `Name another one with ${portFlag}; 0 takes a free one.`
    return new StartError('PORT_IN_USE', `Port ${port} is in use.`, hint, error)
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const hint = 'Name one with --host; 0.0.0.0 takes all of them.'
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
      // A free port of one address may be taken on the other; another one will do.
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
