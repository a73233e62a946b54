/**
 * Limits the bytes of all bodies and messages that have arrived but are not handled yet, complete or not. Each also has its own
 * limit; this one covers all connections of a process. Contract 10.10 and 10.12.
 */
import { SvcError } from '../../../client/protocol/model/errors.js'

export interface IncomingLimits {
  /** The limit for all connections. */
  readonly maxBytes: number
  /** The limit for one address, so that no client can take everything. */
  readonly maxBytesPerAddress: number
}

const megabyte = 1024 * 1024

const ownLimits: IncomingLimits = { maxBytes: 512 * megabyte, maxBytesPerAddress: 256 * megabyte }

/** The overhead of a chunk: a body can arrive in millions of them. */
export const pieceBytes = 512

/** Smaller amounts are not counted, because a connection itself takes more. */
const uncountedBytes = 4 * 1024

/** The smallest amount that keeps a holding in the list of those that can be evicted. */
export const minCountedBytes = uncountedBytes + 1

/** Whether a body or message is too small to be counted. */
export function isUncounted(bytes: number): boolean {
  return bytes <= uncountedBytes
}

/** The memory held by one request or socket. */
export interface Held {
  /**
   * Sets the bytes held. Over the limit, evicts the newest holding of the address that holds the most, which may be this one.
   */
  hold(bytes: number): void
  /** Marks the body as complete and in progress. It can no longer be evicted. */
  settle(): void
  /** Releases everything. */
  end(): void
}

export interface IncomingBytes {
  /** @param giveWay drops what is held and stops reading */
  open(address: string, giveWay: () => void): Held
}

/** The holdings of one address. */
interface Group {
  bytes: number
  /** Holdings that can be evicted, in the order in which they began to count. */
  readonly coming: Set<Holding>
}

interface Holding extends Held {
  readonly giveWay: () => void
}

export function openIncomingBytes(limits: Partial<IncomingLimits> = {}): IncomingBytes {
  const { maxBytes, maxBytesPerAddress } = { ...ownLimits, ...limits }
  const groups = new Map<string, Group>()
  let allBytes = 0

  function getGroup(address: string): Group {
    const known = groups.get(address)
    if (known) return known
    const group: Group = { bytes: 0, coming: new Set() }
    groups.set(address, group)
    return group
  }

  /** Finds the largest group that has a holding to evict. */
  function largest(): Group | undefined {
    let found: Group | undefined
    for (const group of groups.values()) {
      if (group.coming.size > 0 && group.bytes > (found?.bytes ?? 0)) found = group
    }
    return found
  }

  function makeRoom(own: Group): void {
    while (own.bytes > maxBytesPerAddress && evictNewest(own)) {}
    while (allBytes > maxBytes && evictNewest(largest())) {}
  }

  return {
    open(address, giveWay) {
      let held = 0
      let isComing = true
      const change = (bytes: number): Group => {
        const group = getGroup(address)
        group.bytes += bytes - held
        allBytes += bytes - held
        held = bytes
        if (isComing && held > 0) group.coming.add(holding)
        else group.coming.delete(holding)
        if (group.bytes === 0) groups.delete(address)
        return group
      }
      const holding: Holding = {
        giveWay,
        hold(bytes) {
          const counted = isUncounted(bytes) ? 0 : bytes
          if (counted === held) return
          const isMore = counted > held
          const group = change(counted)
          if (isMore) makeRoom(group)
        },
        settle() {
          isComing = false
          change(held)
        },
        end() {
          if (held > 0) change(0)
        },
      }
      return holding
    },
  }
}

/** Returns whether there was one. */
function evictNewest(group: Group | undefined): boolean {
  let newest: Holding | undefined
  for (const holding of group?.coming ?? []) newest = holding
  newest?.end()
  newest?.giveWay()
  return newest !== undefined
}

/** The error for an evicted request. */
export function tooManyBytes(): SvcError {
  const message = 'Too many large requests are arriving at once. Try again later.'
  return new SvcError('UNAVAILABLE', message, [], { retryAfterSeconds: 10 })
}
