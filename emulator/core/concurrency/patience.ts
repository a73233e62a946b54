/** Limits how long work waits for its turn. */
export interface Patience {
  readonly maxMilliseconds: number
  tooLate(): Error
}

/**
 * Waits until `begin` is called, which returns false if that is too late.
 *
 * @param enqueue puts `begin` into the queue
 * @throws the error from `tooLate`. Without patience it waits forever
 */
export function waitInQueue(patience: Patience | undefined, enqueue: (begin: () => boolean) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const giveUp = ({ tooLate }: Patience) => {
      isLate = true
      reject(tooLate())
    }
    const timer = patience && setTimeout(giveUp, patience.maxMilliseconds, patience)
    enqueue(() => {
      clearTimeout(timer)
      resolve()
      return !isLate
    })
  })
}
