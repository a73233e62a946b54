/** What becomes of a text that is run: its answer, or why it failed. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeptText } from './kept-text.js'

interface Run<Answer> {
  readonly answer: Answer | undefined
  readonly error: unknown
  /** The error, while what stands in the editor is what was run. */
  readonly errorHere: unknown
  readonly isBusy: boolean
  readonly start: () => void
}

/** Runs what stands there, and keeps it once it has succeeded. */
export function useRun<Answer>({ text, addRun }: KeptText, carryOut: (text: string) => Promise<Answer>): Run<Answer> {
  const [ran, setRan] = useState('')
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: carryOut,
    onMutate: setRan,
    onSuccess: (_answer, typed) => addRun(typed),
  })
  return {
    answer: error ? undefined : data,
    error,
    errorHere: ran === text ? error : undefined,
    isBusy: isPending,
    start: () => mutate(text),
  }
}
