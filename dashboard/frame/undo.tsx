/** Changes that can be taken back: a bar at the bottom for ten seconds, and Ctrl Z or ⌘Z. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import type { Control } from '../../client/control.js'
import { Button } from '../parts/button.js'
import { Dialog } from '../parts/dialog.js'
import { wordsOf } from '../parts/states.js'
import { useSession } from '../session/context.js'

interface Notice {
  readonly words: string
  readonly undo?: () => Promise<unknown>
  readonly isBad?: boolean
}

interface Notices {
  /** Says something for ten seconds, with what takes it back. */
  readonly say: (notice: Notice) => void
  /** Does what removes or changes much, with a state saved before it that undo goes back to. */
  readonly doUndoably: (words: string, command: string, work: () => Promise<unknown>) => Promise<void>
}

const Context = createContext<Notices | undefined>(undefined)
const shownMilliseconds = 10_000
/** A snapshot copies the project: of more than this it takes longer than anybody waits for a deletion. */
const mostBytes = 64 * 2 ** 20

type Answer = 'saved' | 'unsaved' | 'no'

interface Question {
  readonly words: string
  readonly resolve: (answer: Answer) => void
}

async function saved(control: Control, project: string, command: string): Promise<string> {
  return (await control.snapshots.save({ project, automatic: true, command: command.slice(0, 255) })).name
}

/** Where undo would cost much, or cannot be had. */
function Ask({ words, resolve }: Question) {
  return (
    <Dialog title="Without undo?" onClose={() => resolve('no')}>
      <div className="dialog-form">
        <p>
          This project is large: a snapshot to go back to takes a while. <code className="mono">{words}</code>
        </p>
        <div className="dialog-actions">
          <Button onClick={() => resolve('no')}>Cancel</Button>
          <Button onClick={() => resolve('saved')}>Save a snapshot first</Button>
          <Button look="bad" onClick={() => resolve('unsaved')}>
            Go on without undo
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

export function UndoProvider({ children }: { children: ReactNode }) {
  const { control, project } = useSession()
  const [notice, setNotice] = useState<Notice>()
  const [question, setQuestion] = useState<Question>()
  const say = useCallback((next: Notice) => setNotice(next), [])

  const doUndoably = useCallback(
    async (words: string, command: string, work: () => Promise<unknown>) => {
      const { database } = await control.info.get()
      const isLarge = database.bytes > mostBytes
      const answer = isLarge
        ? await new Promise<Answer>((resolve) => setQuestion({ words: command, resolve }))
        : 'saved'
      setQuestion(undefined)
      if (answer === 'no') return
      const snapshot = answer === 'saved' ? await saved(control, project.id, command) : undefined
      try {
        await work()
      } finally {
        if (snapshot !== undefined) await control.snapshots.finish({ project: project.id, snapshot })
      }
      const undo = snapshot && (() => control.snapshots.undo({ project: project.id, snapshot }))
      setNotice(undo ? { words, undo } : { words })
    },
    [control, project.id],
  )

  const value = useMemo(() => ({ say, doUndoably }), [say, doUndoably])
  return (
    <Context value={value}>
      {children}
      {notice ? <Bar key={notice.words} notice={notice} say={say} onClose={() => setNotice(undefined)} /> : null}
      {question ? <Ask {...question} /> : null}
    </Context>
  )
}

function Bar({ notice, say, onClose }: { notice: Notice; say: (notice: Notice) => void; onClose: () => void }) {
  const { words, undo, isBad = false } = notice
  const takeBack = useCallback(async () => {
    onClose()
    try {
      await undo?.()
      say({ words: 'Undone' })
    } catch (error) {
      say({ words: wordsOf(error), isBad: true })
    }
  }, [undo, say, onClose])

  useEffect(() => {
    const timer = setTimeout(onClose, shownMilliseconds)
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest('input, textarea, .cm-editor')
      if (event.key.toLowerCase() !== 'z' || !(event.metaKey || event.ctrlKey) || isTyping || !undo) return
      event.preventDefault()
      void takeBack()
    }
    addEventListener('keydown', onKey)
    return () => {
      clearTimeout(timer)
      removeEventListener('keydown', onKey)
    }
  }, [undo, takeBack, onClose])

  return (
    <div className={`notice ${isBad ? 'bad' : ''}`} role="status">
      <span>{words}</span>
      {undo ? <Button onClick={() => void takeBack()}>Undo</Button> : null}
      <Button look="quiet" onClick={onClose} aria-label="Close">
        ×
      </Button>
    </div>
  )
}

export function useUndo(): Notices {
  const notices = useContext(Context)
  if (!notices) throw new Error('There is nothing to undo with here.')
  return notices
}

/** Runs something of a button, and shows what went wrong in the bar. */
export function useAction(): [boolean, (work: () => Promise<unknown>) => void] {
  const { say } = useUndo()
  const [isBusy, setBusy] = useState(false)
  const run = useCallback(
    (work: () => Promise<unknown>) => {
      setBusy(true)
      work()
        .catch((error) => say({ words: wordsOf(error), isBad: true }))
        .finally(() => setBusy(false))
    },
    [say],
  )
  return [isBusy, run]
}
