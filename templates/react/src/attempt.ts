import { useState } from 'react'
import { SvcError } from 'svc-toolkit-client'

/** What went wrong, as the service says it, with what is wrong of each field. */
export function problemOf(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error)
  return [error.message, ...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)].join(' ')
}

/** Something a button starts: whether it goes on, and why it failed. */
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
