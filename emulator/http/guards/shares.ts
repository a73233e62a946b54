/** The part of the shared windows that this process has reserved and may use without asking the database. */
import type { Backend } from '../../core/context.js'
import { openWindowCounters } from './window-counters.js'

export interface Share {
  readonly name: string
  readonly window: number
  /** Reserved by this process and still unused. */
  held: number
  /** Reserved by all processes, as of this one's last reservation. */
  reserved: number
  /** The size of the last grant. */
  slice: number
  refilling: Promise<void> | undefined
}

interface Size {
  readonly most: number
  readonly seconds: number
}

export function openShares(most: number): (name: string, window: number) => Share {
  return openWindowCounters(most, (name, window) => ({
    ...{ name, window, held: 0, reserved: 0, slice: 0 },
    refilling: undefined,
  }))
}

/** Counts the uses by all processes, as far as known. Counts reservations of other processes as used. */
export function countUses({ reserved, held }: Share): number {
  // A crashed database server may have lost reservations.
  return Math.max(0, reserved - held)
}

export function isSpent(share: Share, most: number): boolean {
  return countUses(share) >= most
}

/** Uses one reserved request. Reserves more before the last one is used, so that requests rarely wait. */
export function useOne(limits: Backend['limits'], share: Share, size: Size): void {
  share.held--
  const isLow = share.held <= share.slice / 2
  // Ignores errors here: a request that finds none left tries again and reports the failure.
  if (isLow && share.slice > 1 && share.reserved < size.most) refill(limits, share, size).catch(() => undefined)
}

/**
 * Reserves part of the remainder. Concurrent requests share the reservation.
 *
 * @throws {DatabaseError}
 */
export function refill(limits: Backend['limits'], share: Share, { most, seconds }: Size): Promise<void> {
  share.refilling ??= reserve(limits, share, { most, seconds }).finally(() => {
    share.refilling = undefined
  })
  return share.refilling
}

async function reserve(limits: Backend['limits'], share: Share, { most, seconds }: Size): Promise<void> {
  const { name, window } = share
  const requested = Math.max(1, limits.sliceSize(most - share.reserved))
  const { granted, reserved } = await limits.reserve({ name, window, seconds, most, requested })
  share.held += granted
  share.slice = granted
  share.reserved = reserved
}
