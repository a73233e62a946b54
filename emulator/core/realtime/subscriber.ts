/** One connection. What its subscriptions receive shares its backpressure. */
export interface Subscriber {
  isOpen(): boolean
  /** Whether it may be written to: the other end reads about as fast as that, and nothing is held. */
  canWrite(): boolean
  /** Resolves once it can be written to again, or is closed. */
  drained(): Promise<void>
  /** Nothing is written before this is settled. */
  hold(until: Promise<void>): void
}

export function openSubscriber({ isOpen, canWrite, drained }: Omit<Subscriber, 'hold'>): Subscriber {
  let holds: readonly Promise<void>[] = []
  return {
    isOpen,
    canWrite: () => holds.length === 0 && canWrite(),
    async drained() {
      while (holds.length > 0) await Promise.allSettled(holds)
      await drained()
    },
    hold(until) {
      holds = [...holds, until]
      const release = () => {
        holds = holds.filter((hold) => hold !== until)
      }
      until.then(release, release)
    },
  }
}
