import { useEffect, useRef } from 'react'

/** Returns a signal that aborts when the component unmounts, so that long work ends with its dialog. */
export function useStop(): () => AbortSignal {
  const stop = useRef(new AbortController())
  useEffect(() => {
    const opened = new AbortController()
    stop.current = opened
    return () => opened.abort(new Error('Stopped.'))
  }, [])
  return () => stop.current.signal
}
