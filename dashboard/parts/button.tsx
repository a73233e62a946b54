import type { ComponentProps } from 'react'
import { useState } from 'react'

type Look = 'plain' | 'main' | 'quiet' | 'bad'

export function Button({ look = 'plain', ...props }: ComponentProps<'button'> & { look?: Look }) {
  return <button type="button" {...props} className={`button ${look} ${props.className ?? ''}`} />
}

/** Copies a text, and says so for a moment. */
export function Copy({ text, label = 'copy' }: { text: string | (() => string | Promise<string>); label?: string }) {
  const [words, setWords] = useState(label)
  async function copy() {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      setWords('copied')
    } catch {
      setWords('not allowed')
    }
    setTimeout(() => setWords(label), 1_500)
  }
  return (
    <button type="button" className="link" onClick={() => void copy()} aria-live="polite">
      {words}
    </button>
  )
}
