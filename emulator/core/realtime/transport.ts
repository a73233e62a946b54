/** The way to the client of a connection. Its subscriptions share its backpressure. */
export interface Transport {
  isOpen(): boolean
  /** Whether it accepts more: the client keeps up with reading, and no hold is active. */
  canWrite(): boolean
  /** Resolves once it accepts more or is closed. */
  drained(): Promise<void>
  /** Writes nothing until the promise settles. */
  hold(until: Promise<void>): void
}

export function openTransport({ isOpen, canWrite, drained }: Omit<Transport, 'hold'>): Transport {
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
