/** Undo for changes: a bar for ten seconds, or longer while hovered or focused, and Ctrl Z or ⌘Z. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/index.js'
import { destroys } from '../../client/protocol/model/requests/destroying.js'
import { Button, writeText } from '../parts/button.js'
import { Dialog } from '../parts/dialog.js'
import { describeError, isMissing } from '../parts/states.js'
import { useSession } from '../session/context.js'
import { findDestroyedProject, findLoadedSnapshot } from './destroyed.js'

interface Notice {
  readonly text: string
  /** Resolves to the text of the next notice, if it is a string. */
  readonly undo?: () => Promise<unknown>
  readonly isBad?: boolean
}

interface Notices {
  /** Shows a notice for ten seconds, optionally with undo. */
  readonly notify: (notice: Notice) => void
  /** Asks before a change that cannot be undone. */
  readonly confirm: (title: string, text: string, action: string) => Promise<boolean>
  /** Saves a snapshot, then runs a destructive change and offers undo. Resolves to false if the user cancels. */
  readonly doUndoably: (text: string, command: string, work: () => Promise<unknown>, of?: Affected) => Promise<boolean>
}

/** Names the project that the change affects. */
interface Affected {
  /** Undefined if unknown. */
  readonly project: string | undefined
  /** A snapshot to be loaded. It must not be evicted for the one that is saved. */
  readonly keeping?: string | undefined
}

const Context = createContext<Notices | undefined>(undefined)
const shownMilliseconds = 10_000
/** Interval for checking again whether a hovered or focused notice may close. */
const heldMilliseconds = 2_000
const maxNotices = 4
/** A snapshot copies the project. Above this size, that takes longer than users want to wait. */
const maxBytes = 64 * 2 ** 20

export function UndoProvider({ children }: { children: ReactNode }) {
  const { control, project } = useSession()
  const [notices, setNotices] = useState<readonly (Notice & { readonly id: number })[]>([])
  const [question, setQuestion] = useState<Question>()
  const ids = useRef(0)
  const drop = useCallback((id: number) => setNotices((before) => before.filter((each) => each.id !== id)), [])
  // A new notice replaces the others, but not those with undo, which stay for their ten seconds.
  const notify = useCallback((notice: Notice) => {
    const next = { ...notice, id: ids.current++ }
    setNotices((before) => [...before.filter(({ undo }) => undo), next].slice(-maxNotices))
  }, [])
  const ask = useCallback(
    (question: Omit<Question, 'resolve'>) =>
      new Promise<Answer>((resolve) => setQuestion({ ...question, resolve })).finally(() => setQuestion(undefined)),
    [],
  )
  const confirm = useCallback(
    async (title: string, text: string, action: string) => (await ask({ title, text, action })) === 'go',
    [ask],
  )

  const doUndoably = useCallback(
    async (text: string, command: string, work: () => Promise<unknown>, of: Affected = { project: project.id }) => {
      const saved = await saveBefore(control, of, command.replace(/^svc /, ''), ask)
      if (saved === 'no') return false
      const undo = saved && (async () => describeKept(await control.snapshots.undo(saved)))
      const finish = () => saved && finishSnapshot(control, saved)
      try {
        await work()
      } catch (error) {
        // The work may have been done in part.
        if (undo && (await finish()) === 'kept') notify({ text: `${text}, in part`, undo, isBad: true })
        throw error
      }
      const outcome = await finish()
      if (outcome === 'gone') notify({ text: `${text}. You cannot undo this, because its snapshot is gone.` })
      else notify(undo && outcome === 'kept' ? { text, undo } : { text })
      return true
    },
    [control, project.id, notify, ask],
  )

  const value = useMemo(() => ({ notify, confirm, doUndoably }), [notify, confirm, doUndoably])
  const newest = notices.findLast(({ undo }) => undo)?.id
  return (
    <Context value={value}>
      {children}
      <div className="notices">
        {notices.map((notice) => (
          <Bar key={notice.id} notice={notice} isNewest={notice.id === newest} notify={notify} onClose={drop} />
        ))}
      </div>
      {question ? <Ask {...question} /> : null}
    </Context>
  )
}

type Answer = 'go' | 'save' | 'no'

interface Question {
  readonly title: string
  readonly text: string
  readonly action: string
  /** Offers to save a snapshot first. */
  readonly canSave?: boolean
  readonly resolve: (answer: Answer) => void
}

interface Saved {
  readonly project: string
  readonly snapshot: string
}

/** Saves the snapshot that undo loads. Resolves to undefined if the user continues without one, and to 'no' on cancel. */
async function saveBefore(
  control: Control,
  { project, keeping }: Affected,
  command: string,
  ask: (question: Omit<Question, 'resolve'>) => Promise<Answer>,
): Promise<Saved | undefined | 'no'> {
  const question = { title: 'Continue without undo?', action: 'Continue' }
  if (project === undefined) {
    const text = 'This user is not in this project. You cannot undo the deletion of a user of another project.'
    return (await ask({ ...question, text })) === 'go' ? undefined : 'no'
  }
  const { database } = await control.info.get()
  if (database.bytes > maxBytes) {
    const text = `This project is large. Saving a snapshot before "${command}" takes a while.`
    const answer = await ask({ ...question, text, canSave: true })
    if (answer !== 'save') return answer === 'go' ? undefined : 'no'
  }
  try {
    const saving = { project, automatic: true as const, command: command.slice(0, 255), keeping }
    const { name } = await control.snapshots.save(saving)
    return { project, snapshot: name }
  } catch (error) {
    // The project does not exist, so nothing can be destroyed. The request itself reports that.
    if (isMissing(error)) return undefined
    if (!(error instanceof SvcError) || error.code !== 'STORAGE_LIMIT') throw error
    return (await ask({ ...question, text: error.message })) === 'go' ? undefined : 'no'
  }
}

/**
 * Reports the end of the work, and returns the state of its snapshot. The emulator deletes the snapshot if nothing changed.
 * It may also be gone, deleted by a user or to make room. Failures to report are ignored, because the work is done.
 */
async function finishSnapshot(control: Control, saved: Saved): Promise<'kept' | 'unchanged' | 'gone'> {
  try {
    return (await control.snapshots.finish(saved)).isKept ? 'kept' : 'unchanged'
  } catch (error) {
    return isMissing(error) ? 'gone' : 'kept'
  }
}

function Ask({ title, text, action, canSave = false, resolve }: Question) {
  return (
    <Dialog title={title} onClose={() => resolve('no')}>
      <div className="dialog-form">
        <p>{text}</p>
        <div className="dialog-actions">
          <Button onClick={() => resolve('no')}>Cancel</Button>
          {canSave ? <Button onClick={() => resolve('save')}>Save a snapshot first</Button> : null}
          <Button look="bad" onClick={() => resolve('go')}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

type Undone = Awaited<ReturnType<Control['snapshots']['undo']>>

/** Describes how much undo did not restore because it changed later. */
function describeKept({ collections, documents, users, files }: Undone): string {
  const kept = [collections, documents, users, files].reduce((sum, { keptCount }) => sum + keptCount, 0)
  return kept === 0 ? 'Undone' : `Undone, except ${kept} that changed later`
}

interface BarProps {
  readonly notice: Notice & { readonly id: number }
  readonly isNewest: boolean
  readonly notify: (notice: Notice) => void
  readonly onClose: (id: number) => void
}

function Bar({ notice: { id, text, undo, isBad = false }, isNewest, notify, onClose }: BarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const takeBack = useCallback(async () => {
    onClose(id)
    try {
      const result = await undo?.()
      notify({ text: typeof result === 'string' ? result : 'Undone' })
    } catch (error) {
      notify({ text: describeError(error), isBad: true })
    }
  }, [id, undo, notify, onClose])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const closeIn = (milliseconds: number) => {
      timer = setTimeout(() => (isHeld(bar.current) ? closeIn(heldMilliseconds) : onClose(id)), milliseconds)
    }
    closeIn(shownMilliseconds)
    return () => clearTimeout(timer)
  }, [id, onClose])

  useEffect(() => {
    if (!isNewest) return
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest('input, textarea, .cm-editor')
      if (event.key.toLowerCase() !== 'z' || !(event.metaKey || event.ctrlKey) || isTyping) return
      event.preventDefault()
      void takeBack()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isNewest, takeBack])

  return (
    <div ref={bar} className={`notice ${isBad ? 'bad' : ''}`} role="status">
      <span>{text}</span>
      {undo ? <Button onClick={() => void takeBack()}>Undo</Button> : null}
      <Button look="quiet" onClick={() => onClose(id)} aria-label="Close">
        ×
      </Button>
    </div>
  )
}

/** Returns whether any notice is hovered or focused. No notice closes then, because the others would move. */
function isHeld(bar: HTMLElement | null): boolean {
  return bar?.closest('.notices')?.matches(':hover, :focus-within') ?? false
}

export function useUndo(): Notices {
  const notices = useContext(Context)
  if (!notices) throw new Error('useUndo needs an UndoProvider.')
  return notices
}

interface Sent {
  /** Name of the sender in the list of snapshots. */
  readonly by: string
  readonly method: string
  readonly path: string
  /** Project of the caller. Defaults to the project of the page. */
  readonly project?: string | null
}

/** Sends a request, with undo if it is destructive. */
export function useSendUndoably(): (sent: Sent, send: () => Promise<unknown>) => Promise<unknown> {
  const { owner, project } = useSession()
  const { doUndoably } = useUndo()
  return useCallback(
    async ({ by, method, path, project: caller }, send) => {
      if (!destroys(method, path)) return send()
      const affected = {
        project: await findDestroyedProject(owner, caller ?? project.id, path),
        keeping: findLoadedSnapshot(path),
      }
      return doUndoably(`Sent ${method} ${path.split('?')[0]}`, `${by} ${method} ${path}`, send, affected)
    },
    [owner, project.id, doUndoably],
  )
}

/** Runs the action of a button, and shows failures in a notice. */
export function useAction(): [boolean, (work: () => Promise<unknown>) => void] {
  const { notify } = useUndo()
  const [isBusy, setBusy] = useState(false)
  const run = useCallback(
    (work: () => Promise<unknown>) => {
      setBusy(true)
      work()
        .catch((error) => notify({ text: describeError(error), isBad: true }))
        .finally(() => setBusy(false))
    },
    [notify],
  )
  return [isBusy, run]
}

/** Copies a text, and names it in a notice. */
export function useCopy(): (what: string, text: string) => void {
  const { notify } = useUndo()
  return useCallback(
    (what: string, text: string) => {
      writeText(text).then(
        () => notify({ text: `Copied ${what}` }),
        (error) => notify({ text: describeError(error), isBad: true }),
      )
    },
    [notify],
  )
}
