/** Runs a query and tracks its result. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeptText } from './kept-text.js'

interface Run<Answer> {
  readonly answer: Answer | undefined
  readonly error: unknown
  /** The error, as long as the editor still contains the text that was run. */
  readonly errorHere: unknown
  readonly isBusy: boolean
  readonly start: () => void
}

/** Runs the text, and adds it to the history if it succeeds. */
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
