import { useState } from 'react'
import { SvcError } from 'svc-toolkit-client'

/** On your machine, the emulator may not be running. */
export const hint = import.meta.env.DEV ? ' Start it: npx svc dev' : ''

/** Formats the message of an error, with the problem of each field. */
export function describeError(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error)
  if (error.code === 'NETWORK') return error.message + hint
  return [error.message, ...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)].join(' ')
}

/** Runs the action of a button, and tracks its progress and error. */
export function useAttempt(before?: string) {
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState(before)

  async function attempt(work: () => Promise<unknown>) {
    setRunning(true)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(describeError(error))
    }
    setRunning(false)
  }
  return { attempt, isRunning, problem }
}
