import { useState } from 'react'
import { SvcError } from 'svc-toolkit-client'

/** On your machine the service is a program that may not run yet. */
export const hint = import.meta.env.DEV ? ' Start it: npx svc dev' : ''

/** The service's error message, with the error of each field. */
export function problemOf(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error)
  if (error.code === 'NETWORK') return error.message + hint
  return [error.message, ...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)].join(' ')
}

/** An action of a button: whether it is running, and why it failed. */
export function useAttempt(before?: string) {
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState(before)

  async function attempt(work: () => Promise<unknown>) {
    setRunning(true)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(problemOf(error))
    }
    setRunning(false)
  }
  return { attempt, isRunning, problem }
}
