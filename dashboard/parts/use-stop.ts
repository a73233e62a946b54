import { useEffect, useRef } from 'react'

/** A signal that aborts when what uses it is closed: long work in a dialog ends with it. */
export function useStop(): () => AbortSignal {
  const stop = useRef(new AbortController())
  useEffect(() => {
    const opened = new AbortController()
    stop.current = opened
    return () => opened.abort(new Error('Stopped.'))
  }, [])
  return () => stop.current.signal
}
