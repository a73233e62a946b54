/** Waiting until other processes have received what was published: for those that are there, and not for long. */

/** What one that hangs costs a change of settings. */
const mostMilliseconds = 250

export interface Confirmation {
  /** Goes out with the message. */
  readonly id: number
  /** Resolves once so many processes have confirmed it, or the time is over. */
  from(others: number): Promise<void>
}

export interface Confirmations {
  /** To be called before the message goes out. */
  begin(): Confirmation
  /** A process has received it. */
  acknowledged(id: number, by: string): void
}

export function openConfirmations(): Confirmations {
  const open = new Map<number, (by: string) => void>()
  let last = 0
  return {
    begin() {
      const id = ++last
      const acknowledged = new Set<string>()
      let look = () => {}
      open.set(id, (by) => {
        acknowledged.add(by)
        look()
      })
      return {
        id,
        from: (others) =>
          new Promise((resolve) => {
            const settle = () => {
              clearTimeout(timer)
              open.delete(id)
              resolve()
            }
            const timer = setTimeout(settle, mostMilliseconds)
            look = () => {
              if (acknowledged.size >= others) settle()
            }
            look()
          }),
      }
    },
    acknowledged: (id, by) => open.get(id)?.(by),
  }
}
