/** Limits the realtime connections of a process, and decides which to close for new ones. Contract 9.1 and 9.5. */
import { SvcError } from '../../../client/protocol/model/errors.js'

export interface ConnectionLimits {
  /** Authenticated WebSockets, and event streams. */
  readonly most: number
  /** The limit per user session. Keys have none, because all visitors of an app share one. */
  readonly maxPerSession: number
  /** The limit for WebSockets that have not authenticated, separate from the others. */
  readonly maxUnidentified: number
  /** The limit of these per address: enough for everyone behind a proxy to reconnect at once. */
  readonly maxUnidentifiedPerAddress: number
}

const ownLimits: ConnectionLimits = {
  most: 20_000,
  maxPerSession: 1_000,
  maxUnidentified: 5_000,
  maxUnidentifiedPerAddress: 1_000,
}

/** A connection and its address. */
export interface SlotHolder {
  readonly address: string
  /** The user's session, for connections of a user. */
  readonly session?: string | undefined
  /** Closes it to make room for another. It may reconnect. */
  close(): void
  /** Called soon after `close`, because the client may not be reading. */
  destroy(): void
}

export interface Slots {
  /**
   * Takes a slot. If all are taken, closes the newest connection of the address with the most, if that has more than the new
   * one's address.
   *
   * @throws {SvcError} `RATE_LIMITED`, or `UNAVAILABLE` if no connection can be closed
   */
  enter(connection: SlotHolder): void
  /** Does nothing for a connection without a slot. */
  leave(connection: SlotHolder): void
}

/** Slots for authenticated connections, and separate ones for those that have not authenticated. */
export interface ConnectionSlots {
  readonly identified: Slots
  readonly unidentified: Slots
}

export function openConnectionSlots(limits: Partial<ConnectionLimits> = {}): ConnectionSlots {
  const { most, maxPerSession, maxUnidentified, maxUnidentifiedPerAddress } = { ...ownLimits, ...limits }
  return {
    identified: openSlots(most, {
      ofSession: {
        most: maxPerSession,
        message: `Too many connections for this session (max ${counted(maxPerSession)}).`,
      },
    }),
    unidentified: openSlots(maxUnidentified, {
      ofAddress: {
        most: maxUnidentifiedPerAddress,
        message: `Too many connections from this address have not sent "auth" yet (max ${counted(maxUnidentifiedPerAddress)}).`,
      },
    }),
  }
}

interface Bound {
  readonly most: number
  readonly message: string
}

function openSlots(most: number, { ofAddress, ofSession }: { ofAddress?: Bound; ofSession?: Bound }): Slots {
  let count = 0
  const byAddress = openGroups()
  const bySession = openGroups()

  function leave(connection: SlotHolder): void {
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
/** How long an evicted connection has for the closing handshake. */
const farewellMilliseconds = 1_000

function requireFewer(count: number, { most, message }: Bound): void {
  if (count < most) return
  throw new SvcError('RATE_LIMITED', message, [], { retryAfterSeconds })
}

/** Connections by what they share, in order of arrival. */
function openGroups() {
  const groups = new Map<string, Set<SlotHolder>>()
  return {
    sizeOf: (name: string) => groups.get(name)?.size ?? 0,
    add(name: string, connection: SlotHolder): void {
      const group = groups.get(name)
      if (group) group.add(connection)
      else groups.set(name, new Set([connection]))
    },
    /** Returns whether it was there. */
    remove(name: string, connection: SlotHolder): boolean {
      const group = groups.get(name)
      if (!group?.delete(connection)) return false
      if (group.size === 0) groups.delete(name)
      return true
    },
    /** Returns the newest connection of the largest group, if the group exceeds `size`. */
    newestOfLargest(size: number): SlotHolder | undefined {
      let largest: ReadonlySet<SlotHolder> | undefined
      for (const group of groups.values()) if (group.size > (largest?.size ?? size)) largest = group
      return largest && [...largest].at(-1)
    },
  }
}

const counted = (number: number) => number.toLocaleString('en')
