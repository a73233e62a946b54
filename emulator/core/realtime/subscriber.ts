/** A connection. Its subscriptions share its backpressure. */
export interface Subscriber {
  isOpen(): boolean
  /** Whether it accepts more: the client keeps up with reading, and no hold is active. */
  canWrite(): boolean
  /** Resolves once it accepts more or is closed. */
  drained(): Promise<void>
  /** Writes nothing until the promise settles. */
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
