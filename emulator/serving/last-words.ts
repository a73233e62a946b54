/** Uncaught exceptions: nothing after one can be trusted, so the process says so, lets requests finish, and ends. Security 27. */
import { writeSync } from 'node:fs'
import { failureText } from '../http/failure-text.js'

/** @param drain lets requests finish; the supervisor begins another process */
export function endAfterFault(drain: () => Promise<void>): () => void {
  let isEnding = false
  const onFault = (error: unknown) => {
    const line = { level: 60, time: Date.now(), pid: process.pid, msg: 'uncaught', error: failureText(error) }
    say(`${JSON.stringify(line)}\n`)
    if (isEnding) process.exit(1)
    isEnding = true
    drain().then(
      () => process.exit(1),
      () => process.exit(1),
    )
  }
  process.on('uncaughtException', onFault)
  process.on('unhandledRejection', onFault)
  return () => {
    process.off('uncaughtException', onFault)
    process.off('unhandledRejection', onFault)
  }
}

/** Where the disk of the log is full, or its terminal gone, requests are finished all the same. */
function say(line: string): void {
  try {
    writeSync(2, line)
  } catch {
    return
  }
}
