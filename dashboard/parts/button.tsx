import type { ComponentProps } from 'react'
import { useState } from 'react'
import { Icon } from './icons.js'

type Look = 'plain' | 'main' | 'quiet' | 'bad'

export function Button({ look = 'plain', ...props }: ComponentProps<'button'> & { look?: Look }) {
  return <button type="button" {...props} className={`button ${look} ${props.className ?? ''}`} />
}

/** A small cross that removes a value. */
export function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className="icon-button small" aria-label={label} onClick={onClick}>
      <Icon name="close" />
    </button>
  )
}

const cannotCopy =
  'Your browser does not let this page copy. Open the page over https, or on the machine that runs the emulator.'

type Copied = string | (() => string | Promise<string>)

/** Copies a text. Calls a function for the text only if copying is possible. */
export async function writeText(text: Copied): Promise<void> {
  // Browsers offer the clipboard only over https or on localhost.
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (!clipboard && !document.queryCommandSupported('copy')) throw new Error(cannotCopy)
  const words = typeof text === 'string' ? text : await text()
  if (clipboard) return clipboard.writeText(words)
  if (!copySelected(words)) throw new Error(cannotCopy)
}

function copySelected(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'hidden'
  field.readOnly = true
  field.value = text
  document.body.append(field)
  field.focus({ preventScroll: true })
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  return isCopied
}

/** Copies a text, and confirms it for a moment. */
export function Copy({ text, label = 'copy' }: { text: Copied; label?: string }) {
  const [words, setWords] = useState(label)
  async function copy() {
    try {
      await writeText(text)
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
