/** Waits briefly until the other running processes have received a message. */

/** Limits the delay of a settings change when a process hangs. */
const maxMilliseconds = 250

export interface Confirmation {
  /** Sent with the message. */
  readonly id: number
  /** Resolves after that many confirmations or the timeout. */
  from(others: number): Promise<void>
}

export interface Confirmations {
  /** Call before the message is sent. */
  begin(): Confirmation
  /** Records that a process has received the message. */
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
            const timer = setTimeout(settle, maxMilliseconds)
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
