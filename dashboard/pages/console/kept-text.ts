/** Keeps the console's text and its history in the browser, per state folder. */
import { useState } from 'react'

const maxRuns = 50
const maxCharacters = 10_000

export interface KeptText {
  readonly text: string
  readonly change: (text: string) => void
  /** Newest first. */
  readonly runs: readonly string[]
  readonly addRun: (text: string) => void
}

export function useKeptText(folder: string): KeptText {
  const name = `svc:${folder}:console:sql`
  const [text, setText] = useState(() => localStorage.getItem(name) ?? '')
  const [runs, setRuns] = useState(() => readRuns(`${name}:runs`))
  return {
    text,
    runs,
    change(typed) {
      setText(typed)
      keep(name, typed)
    },
    addRun(run) {
      const next = [run, ...runs.filter((other) => other !== run)].slice(0, maxRuns)
      setRuns(next)
      keep(`${name}:runs`, JSON.stringify(next))
    },
  }
}

function readRuns(name: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

/** Skips texts that are too long. They stay on the page. */
function keep(name: string, text: string): void {
  try {
    if (text.length <= maxCharacters * maxRuns) localStorage.setItem(name, text)
  } catch {
    // The quota of localStorage is used up.
  }
}
