/** Placeholders for content that is loading, empty or missing. */
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

/** Shown if no item matches the filter or search. */
export function NoMatch({ what, onAll }: { what: string; onAll: () => void }) {
  return (
    <Empty title={`No ${what} matches`}>
      <button type="button" className="button plain" onClick={onAll}>
        Show all
      </button>
    </Empty>
  )
}

/** Placeholder rows while loading. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <i key={row} style={{ width: `${40 + ((row * 37) % 45)}%` }} />
      ))}
    </div>
  )
}

export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns whether the record does not exist. False if the caller may not read it. */
export function isMissing(error: unknown): boolean {
  return error instanceof SvcError && error.status === 404
}

/** Returns whether the record that the address names was in the list before. */
export function useWasShown(id: string | undefined, isThere: boolean): boolean {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (isThere) shown.current = id
  }, [id, isThere])
  return id !== undefined && shown.current === id
}

export interface GoneProps {
  /** Kind of record, such as "user". */
  readonly what: string
  readonly wasShown: boolean
  /** Label of the link back, such as "All users". */
  readonly back: string
  readonly onBack: () => void
  /** Further actions. */
  readonly children?: ReactNode
}

/** Shown if the record that the address names does not exist, or no longer. */
export function Gone({ what, wasShown, back, onBack, children }: GoneProps) {
  return (
    <div className="gone" role="status">
      <span>{wasShown ? `This ${what} no longer exists.` : `This ${what} does not exist.`}</span>
      {children}
      <button type="button" className="link" onClick={onBack}>
        {back}
      </button>
    </div>
  )
}
