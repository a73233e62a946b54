import { useEffect, useRef } from 'react'

/** Runs actions for keys, such as `j` with Ctrl or ⌘. Other keys work only while no input has the focus. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.metaKey || event.ctrlKey
      const run = latest.current[`${isMod ? 'mod-' : ''}${event.key.toLowerCase()}`]
      const isElsewhere = (event.target as Element).closest(
        isMod ? '.dialog' : 'input:not([type="checkbox"]), textarea, select, .cm-editor, .dialog, .menu',
      )
      if (!run || isElsewhere || event.defaultPrevented) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
