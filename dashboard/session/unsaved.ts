/** Keeps unsaved settings while other pages are open. The browser asks before closing the tab discards them. */
import { useCallback, useState } from 'react'

const kept = new Map<string, unknown>()

addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault()
})

/** Holds a value that outlives the page. Undefined means that nothing is unsaved. */
export function useUnsaved<Value>(key: string): [Value | undefined, (value: Value | undefined) => void] {
  const [value, setValue] = useState(() => kept.get(key) as Value | undefined)
  const change = useCallback(
    (next: Value | undefined) => {
      if (next === undefined) kept.delete(key)
      else kept.set(key, next)
      setValue(next)
    },
    [key],
  )
  return [value, change]
}
