/** What this process has reserved of windows that all processes share, and may use without asking again. */
import type { Backend } from '../../core/context.js'
import { openWindowCounters } from './window-counters.js'

export interface Share {
  readonly name: string
  readonly window: number
  /** Reserved by this process, and not used yet. */
  held: number
  /** Reserved by all processes, when this one reserved last. */
  reserved: number
  /** What was granted last. */
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

/** What was used by all processes, as far as this one knows; what others hold counts as used. */
export function usesOf({ reserved, held }: Share): number {
  // A server that crashed has forgotten what was reserved of it.
  return Math.max(0, reserved - held)
}

export function isSpent(share: Share, most: number): boolean {
  return usesOf(share) >= most
}

/** Uses one of those held; reserves the next before the last is used, so that hardly any request waits for that. */
export function useOne(limits: Backend['limits'], share: Share, size: Size): void {
  share.held--
  const isLow = share.held <= share.slice / 2
  // A request that finds none left asks again, and learns why that fails.
  if (isLow && share.slice > 1 && share.reserved < size.most) refill(limits, share, size).catch(() => undefined)
}

/** Reserves some of what is left; concurrent requests wait for the same. @throws {DatabaseError} */
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
