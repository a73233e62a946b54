/** How many connections for realtime events a process holds, and whom it lets go for others. Contract 9.1 and 9.5. */
import { SvcError } from '../../../client/protocol/model/errors.js'

export interface ConnectionLimits {
  /** WebSockets that have said who they are, and event streams. */
  readonly most: number
  /** Of one session of a user. A key has no such limit: all visitors of an app share it. */
  readonly mostOfSession: number
  /** WebSockets that have not said yet who they are, beside the others. */
  readonly mostUnidentified: number
  /** Of these, from one address: enough for everybody behind a proxy who comes back at the same moment. */
  readonly mostUnidentifiedOfAddress: number
}

const ownLimits: ConnectionLimits = {
  most: 20_000,
  mostOfSession: 1_000,
  mostUnidentified: 5_000,
  mostUnidentifiedOfAddress: 1_000,
}

/** A connection, and from where it is. */
export interface Placed {
  readonly address: string
  /** The session of its user, if it is a user's. */
  readonly session?: string | undefined
  /** Closes it, since its place goes to another: it may come back. */
  close(): void
  /** Follows soon: the other end need not read. */
  destroy(): void
}

export interface Places {
  /**
   * Takes a place. Where all are taken, the newest connection of the address that has the most of them gives way, if that has
   * more than the one that asks.
   *
   * @throws {SvcError} `RATE_LIMITED`, or `UNAVAILABLE` where nobody gives way
   */
  enter(connection: Placed): void
  /** Also for one that has none. */
  leave(connection: Placed): void
}

/** Places for connections that have said who they are, and for those that have not: these take none of the others'. */
export interface ConnectionPlaces {
  readonly identified: Places
  readonly unidentified: Places
}

export function openConnectionPlaces(limits: Partial<ConnectionLimits> = {}): ConnectionPlaces {
  const { most, mostOfSession, mostUnidentified, mostUnidentifiedOfAddress } = { ...ownLimits, ...limits }
  return {
    identified: openPlaces(most, {
      ofSession: { most: mostOfSession, message: `A session holds at most ${counted(mostOfSession)} connections.` },
    }),
    unidentified: openPlaces(mostUnidentified, {
      ofAddress: {
        most: mostUnidentifiedOfAddress,
        message: `At most ${counted(mostUnidentifiedOfAddress)} connections from one address may wait for their "auth".`,
      },
    }),
  }
}

interface Bound {
  readonly most: number
  readonly message: string
}

function openPlaces(most: number, { ofAddress, ofSession }: { ofAddress?: Bound; ofSession?: Bound }): Places {
  let count = 0
  const byAddress = openGroups()
  const bySession = openGroups()

  function leave(connection: Placed): void {
    if (!byAddress.remove(connection.address, connection)) return
    count--
    if (connection.session !== undefined) bySession.remove(connection.session, connection)
  }

  function makeRoom(address: string): void {
    const newest = byAddress.newestOfLargest(byAddress.sizeOf(address) + 1)
    if (!newest) throw new SvcError('UNAVAILABLE', 'Too many connections. Try again later.', [], { retryAfterSeconds })
    leave(newest)
    newest.close()
    setTimeout(() => newest.destroy(), farewellMilliseconds).unref()
  }

  return {
    leave,
    enter(connection) {
      const { address, session } = connection
      if (ofAddress) requireFewer(byAddress.sizeOf(address), ofAddress)
      if (ofSession && session !== undefined) requireFewer(bySession.sizeOf(session), ofSession)
      if (count >= most) makeRoom(address)
      count++
      byAddress.add(address, connection)
      if (session !== undefined) bySession.add(session, connection)
    },
  }
}

const retryAfterSeconds = 10
/** How long a connection that gives way may take to say goodbye. */
const farewellMilliseconds = 1_000

function requireFewer(count: number, { most, message }: Bound): void {
  if (count < most) return
  throw new SvcError('RATE_LIMITED', message, [], { retryAfterSeconds })
}

/** Connections by what they have in common, in the order they came. */
function openGroups() {
  const groups = new Map<string, Set<Placed>>()
  return {
    sizeOf: (name: string) => groups.get(name)?.size ?? 0,
    add(name: string, connection: Placed): void {
      const group = groups.get(name)
      if (group) group.add(connection)
      else groups.set(name, new Set([connection]))
    },
    /** Whether it was there. */
    remove(name: string, connection: Placed): boolean {
      const group = groups.get(name)
      if (!group?.delete(connection)) return false
      if (group.size === 0) groups.delete(name)
      return true
    },
    /** Of the largest group, where that has more than so many. */
    newestOfLargest(size: number): Placed | undefined {
      let largest: ReadonlySet<Placed> | undefined
      for (const group of groups.values()) if (group.size > (largest?.size ?? size)) largest = group
      return largest && [...largest].at(-1)
    },
  }
}

const counted = (number: number) => number.toLocaleString('en')
