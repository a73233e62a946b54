/**
 * What has come in and is not handled yet, of all connections of a process: bodies and messages, whole or not. Each has a limit of
 * its own; this one holds for all of them together. Contract 10.10 and 10.12.
 */
import { SvcError } from '../../../client/protocol/model/errors.js'

export interface IncomingLimits {
  /** What all of it may take. */
  readonly mostBytes: number
  /** What may be from one address: nobody takes the place of all others. */
  readonly mostBytesOfAddress: number
}

const megabyte = 1024 * 1024

const ownLimits: IncomingLimits = { mostBytes: 512 * megabyte, mostBytesOfAddress: 256 * megabyte }

/** What a piece costs beside its bytes: a body can come in millions of them. */
export const pieceBytes = 512

/** So little is not counted: a connection takes more by itself. */
const uncountedBytes = 4 * 1024

/** What holds that little keeps its turn among those that can give way. */
export const leastCountedBytes = uncountedBytes + 1

/** Whether a body or message is so small that nobody has to count it. */
export function isUncounted(bytes: number): boolean {
  return bytes <= uncountedBytes
}

/** What one request or socket holds. */
export interface Held {
  /** How much it holds from now on. Where that is too much, the newest of the address that holds most gives way: it may be this. */
  hold(bytes: number): void
  /** All of it has come and is at work: it gives way no more. */
  settle(): void
  /** It holds nothing any more. */
  end(): void
}

export interface IncomingBytes {
  /** @param giveWay drops what it holds, and takes in no more */
  open(address: string, giveWay: () => void): Held
}

/** Of one address. */
interface Group {
  bytes: number
  /** What can give way, in the order in which it began to count. */
  readonly coming: Set<Holding>
}

interface Holding extends Held {
  readonly giveWay: () => void
}

export function openIncomingBytes(limits: Partial<IncomingLimits> = {}): IncomingBytes {
  const { mostBytes, mostBytesOfAddress } = { ...ownLimits, ...limits }
  const groups = new Map<string, Group>()
  let allBytes = 0

  function groupOf(address: string): Group {
    const known = groups.get(address)
    if (known) return known
    const group: Group = { bytes: 0, coming: new Set() }
    groups.set(address, group)
    return group
  }

  /** Of those that have something that can give way. */
  function largest(): Group | undefined {
    let found: Group | undefined
    for (const group of groups.values()) {
      if (group.coming.size > 0 && group.bytes > (found?.bytes ?? 0)) found = group
    }
    return found
  }

  function makeRoom(own: Group): void {
    while (own.bytes > mostBytesOfAddress && letNewestGo(own)) {}
    while (allBytes > mostBytes && letNewestGo(largest())) {}
  }

  return {
    open(address, giveWay) {
      let held = 0
      let isComing = true
      const change = (bytes: number): Group => {
        const group = groupOf(address)
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

/** Whether there was one. */
function letNewestGo(group: Group | undefined): boolean {
  let newest: Holding | undefined
  for (const holding of group?.coming ?? []) newest = holding
  newest?.end()
  newest?.giveWay()
  return newest !== undefined
}

/** For who had to give way. */
export function tooMuchIncoming(): SvcError {
  const message = 'Too many large requests are on their way at once. Try again later.'
  return new SvcError('UNAVAILABLE', message, [], { retryAfterSeconds: 10 })
}
