import { useState } from 'react'
import { SvcError } from 'svc-toolkit-client'

/** The service's error message, with the error of each field. */
export function problemOf(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error)
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
