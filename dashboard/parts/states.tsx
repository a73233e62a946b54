/** What stands in the place of content: what comes, what is missing. */
import { type ReactNode, useEffect, useRef } from 'react'
import { SvcError } from '../../client/index.js'

export function Empty({ title, children, command }: { title: string; children?: ReactNode; command?: string }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
      {command === undefined ? null : <code className="mono">{command}</code>}
    </div>
  )
}

/** In the place of a list of which a filter or a search leaves nothing. */
export function NoMatch({ what, onAll }: { what: string; onAll: () => void }) {
  return (
    <Empty title={`No ${what} matches`}>
      <button type="button" className="button plain" onClick={onAll}>
        Show all
      </button>
    </Empty>
  )
}

/** Rows that have not come yet. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <i key={row} style={{ width: `${40 + ((row * 37) % 45)}%` }} />
      ))}
    </div>
  )
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether it says that what was asked for is not there; not that it may not be read. */
export function isMissing(error: unknown): boolean {
  return error instanceof SvcError && error.status === 404
}

/** Whether what an address names was in the list since the page was opened. */
export function useWasShown(id: string | undefined, isThere: boolean): boolean {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (isThere) shown.current = id
  }, [id, isThere])
  return id !== undefined && shown.current === id
}

export interface GoneProps {
  /** What is missing, such as "user". */
  readonly what: string
  /** Whether it was shown before. */
  readonly wasShown: boolean
  /** Where the way back leads, such as "All users". */
  readonly back: string
  readonly onBack: () => void
  /** What else can be done. */
  readonly children?: ReactNode
}

/** In the place of what an address names and the emulator does not have: it was deleted, other data were loaded, or it never was. */
export function Gone({ what, wasShown, back, onBack, children }: GoneProps) {
  return (
    <div className="gone" role="status">
      <span>{wasShown ? `This ${what} is not here any more.` : `There is no such ${what} here.`}</span>
      {children}
      <button type="button" className="link" onClick={onBack}>
        {back}
      </button>
    </div>
  )
}
