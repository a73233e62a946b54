import { writeSync } from 'node:fs'
import { failureText } from '../http/failure-text.js'

/**
 * Logs an uncaught exception, lets requests finish, and exits with 1, because the process state cannot be trusted.
 * Security 27.
 *
 * @param drain lets requests finish
 */
export function exitOnUncaught(drain: () => Promise<void>): void {
  let isEnding = false
  const onUncaught = (error: unknown) => {
    const line = { level: 60, time: Date.now(), pid: process.pid, msg: 'uncaught', error: failureText(error) }
    writeLine(`${JSON.stringify(line)}\n`)
    if (isEnding) process.exit(1)
    isEnding = true
    drain().then(
      () => process.exit(1),
      () => process.exit(1),
    )
  }
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
}

/** Ignores write errors, so that requests finish even on a full disk. */
function writeLine(line: string): void {
  try {
    writeSync(2, line)
  } catch {
    return
  }
}
