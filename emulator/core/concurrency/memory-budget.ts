/**
 * The memory of all requests and sockets of a process: bodies and messages that arrive, work in progress, and answers until their
 * clients have taken them. Each address has a share of it. Contract 10.10 and 10.12.
 */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import { patience } from './database-slots.js'
import { createFairSemaphore, type Slot } from './fair-semaphore.js'

export interface MemoryLimits {
  readonly maxBytes: number
  /** The limit for one address, so that no client can take everything. */
  readonly maxBytesPerAddress: number
  /** The part that work and answers may take. The rest is for bodies, so that those always get in. */
  readonly maxWorkBytes: number
  readonly maxWorkBytesPerAddress: number
}

const megabyte = 1024 * 1024

const ownLimits: MemoryLimits = {
  maxBytes: 640 * megabyte,
  maxBytesPerAddress: 320 * megabyte,
  maxWorkBytes: 256 * megabyte,
  maxWorkBytesPerAddress: 64 * megabyte,
}
/** An answer takes several times its size while it is read and written. */
const bytesPerAnswerByte = 2

/** The overhead of a chunk: a body can arrive in millions of them. */
export const pieceBytes = 512

/** Smaller amounts are not counted, because a connection itself takes more. */
const uncountedBytes = 4 * 1024

/** The smallest amount that keeps a body in the list of those that can be evicted. */
export const minCountedBytes = uncountedBytes + 1

/** Whether a body or message is too small to be counted. */
export function isUncounted(bytes: number): boolean {
  return bytes <= uncountedBytes
}

/** The memory held by a body, or by the messages of a socket. */
export interface Held {
  /**
   * Sets the bytes held. Over the limit, evicts the newest body of the address that holds the most, which may be this one, or closes
   * a slow reader of that address.
   */
  hold(bytes: number): void
  /** Marks the body as complete and in progress. It can no longer be evicted. */
  settle(): void
  /** Releases everything. */
  end(): void
}

/** The memory reserved for the work of one request, and for its answer. */
export interface WorkRoom {
  /**
   * Waits for memory before the request reads or changes something large. Only the
   * first call of a request counts.
   *
   * @param bytes the size of the answer as far as it is known. Defaults to the largest possible one
   * @throws {SvcError} `UNAVAILABLE`
   */
  take(bytes?: number): Promise<void>
  /** Sets how much the answer holds until it is sent. */
  keep(bytes: number): void
  /**
   * Counts an answer that its client has not taken at once. From now on `leave` does not release it.
   *
   * @returns releases the memory
   */
  send(bytes: number, reader: Reader): () => void
  /** Releases the memory when the request is over. */
  leave(): void
}

/** The client that takes an answer. */
export interface Reader {
  /** Whether it has had enough time. */
  mayClose(): boolean
  close(): void
}

export interface MemoryBudget {
  /** @param giveWay drops what is held and stops reading */
  receive(address: string, giveWay: () => void): Held
  openRoom(address: string): WorkRoom
  /** Closes readers that have become slow, if others need the memory of their answers. */
  relieve(): void
}

interface Coming {
  giveWay(): void
  end(): void
}

interface Answer {
  readonly reader: Reader
  /** Whether work waits for its memory. Small answers are not reserved before they are written. */
  readonly isReserved: boolean
  end(): void
}

/** The holdings of one address. */
interface Group {
  bytes: number
  /** How many requests wait for memory. */
  waiting: number
  /** Bodies that are not complete, in the order in which they began to count. */
  readonly coming: Set<Coming>
  /** Oldest first. */
  readonly answers: Set<Answer>
}

export function openMemoryBudget(limits: Partial<MemoryLimits> = {}): MemoryBudget {
  const ledger = openLedger({ ...ownLimits, ...limits })
  return {
    receive: (address, giveWay) => openHeld(ledger, address, giveWay),
    openRoom: (address) => openWorkRoom(ledger, address),
    relieve: ledger.relieve,
  }
}

/** Counts what each address holds. */
interface Ledger {
  getGroup(address: string): Group
  add(address: string, bytes: number): Group
  /** Evicts what is over the limits, after a holding of this group has grown. */
  makeRoom(own: Group): void
  /** Waits for memory for work. @throws {SvcError} `UNAVAILABLE` */
  enter(address: string, bytes: number): Promise<Slot>
  relieve(): void
}

function openLedger({ maxBytes, maxBytesPerAddress, maxWorkBytes, maxWorkBytesPerAddress }: MemoryLimits): Ledger {
  const work = createFairSemaphore({ limit: maxWorkBytes, maxPerOwner: maxWorkBytesPerAddress, patience })
  const groups = new Map<string, Group>()
  let allBytes = 0

  function getGroup(address: string): Group {
    const known = groups.get(address)
    if (known) return known
    const group: Group = { bytes: 0, waiting: 0, coming: new Set(), answers: new Set() }
    groups.set(address, group)
    return group
  }

  function forgetEmpty(address: string, { bytes, waiting }: Group): void {
    if (bytes === 0 && waiting === 0) groups.delete(address)
  }

  /** Finds the address that holds the most, among those with something to evict. */
  function largest(canEvict: (group: Group) => boolean): Group | undefined {
    let found: Group | undefined
    for (const group of groups.values()) if (group.bytes > (found?.bytes ?? 0) && canEvict(group)) found = group
    return found
  }

  function makeRoom(own: Group): void {
    while (own.bytes > maxBytesPerAddress && evict(own)) {}
    while (
      allBytes > maxBytes &&
      evict(largest((group) => group.coming.size > 0 || oldestSlow(group) !== undefined))
    ) {}
  }

  /** Closes readers for work that waits: those of its own address if only that has used up its share. */
  function relieveWork(): void {
    for (const group of groups.values()) {
      if (group.waiting === 0) continue
      const from = work.isFull() ? largest((other) => oldestReserved(other) !== undefined) : group
      closeReader(from && oldestReserved(from))
    }
  }

  return {
    getGroup,
    makeRoom,
    add(address, bytes) {
      const group = getGroup(address)
      group.bytes += bytes
      allBytes += bytes
      forgetEmpty(address, group)
      return group
    },
    async enter(address, bytes) {
      const group = getGroup(address)
      group.waiting++
      try {
        return await work.enter([address], bytes)
      } finally {
        group.waiting--
        forgetEmpty(address, group)
      }
    },
    relieve() {
      for (const group of groups.values()) makeRoom(group)
      relieveWork()
    },
  }
}

function openHeld(ledger: Ledger, address: string, giveWay: () => void): Held {
  let held = 0
  let isComing = true

  function set(bytes: number): Group {
    const group = ledger.add(address, bytes - held)
    held = bytes
    if (isComing && held > 0) group.coming.add(body)
    else group.coming.delete(body)
    return group
  }

  const body = {
    giveWay,
    hold(bytes: number) {
      const counted = isUncounted(bytes) ? 0 : bytes
      if (counted === held) return
      const isMore = counted > held
      const group = set(counted)
      if (isMore) ledger.makeRoom(group)
    },
    settle() {
      isComing = false
      set(held)
    },
    end() {
      if (held > 0) set(0)
    },
  }
  return body
}

function openWorkRoom(ledger: Ledger, address: string): WorkRoom {
  let place: Promise<void> | undefined
  let slot: Slot | undefined
  let held = 0
  let isSending = false

  function set(bytes: number): void {
    if (bytes === held) return
    const isMore = bytes > held
    const group = ledger.add(address, bytes - held)
    held = bytes
    slot?.reweigh(bytes)
    if (isMore) ledger.makeRoom(group)
  }

  async function enter(bytes: number): Promise<void> {
    slot = await ledger.enter(address, bytes)
    set(bytes)
  }

  return {
    async take(wanted = sizes.maxAnswerBytes) {
      place ??= enter(bytesPerAnswerByte * Math.min(wanted, sizes.maxAnswerBytes))
      await place
    },
    keep(bytes) {
      if (slot) set(bytes)
    },
    send(bytes, reader) {
      if (bytes === 0) return () => undefined
      const { answers } = ledger.getGroup(address)
      const answer: Answer = {
        reader,
        isReserved: slot !== undefined,
        end() {
          answers.delete(answer)
          set(0)
        },
      }
      isSending = true
      answers.add(answer)
      set(bytes)
      return answer.end
    },
    leave() {
      if (!isSending) set(0)
    },
  }
}

/** Returns whether there was something to evict. */
function evict(group: Group | undefined): boolean {
  let newest: Coming | undefined
  for (const body of group?.coming ?? []) newest = body
  newest?.end()
  newest?.giveWay()
  return newest !== undefined || closeReader(group && oldestSlow(group))
}

function closeReader(answer: Answer | undefined): boolean {
  answer?.end()
  answer?.reader.close()
  return answer !== undefined
}

function oldestSlow({ answers }: Group): Answer | undefined {
  for (const answer of answers) if (answer.reader.mayClose()) return answer
  return undefined
}

function oldestReserved({ answers }: Group): Answer | undefined {
  for (const answer of answers) if (answer.isReserved && answer.reader.mayClose()) return answer
  return undefined
}

/** The error for an evicted request. */
export function tooManyBytes(): SvcError {
  const message = 'Too many large requests are arriving at once. Try again later.'
  return new SvcError('UNAVAILABLE', message, [], { retryAfterSeconds: 10 })
}
