/** What stands in the place of content: what comes, what is missing, what failed. */
import { type ReactNode, useEffect, useRef } from 'react'
import { SvcError } from '../../client/index.js'
import { useConnection } from '../live/context.js'
import { Simulated } from './simulated.js'

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

interface GoneProps {
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

/** A part of a page that could not be read: `Gone` where it is not there, and else what went wrong. */
export function Unread({
  error,
  retry,
  ...gone
}: GoneProps & { readonly error: unknown; readonly retry?: () => void }) {
  return isMissing(error) ? <Gone {...gone} /> : <Failure error={error} {...(retry ? { retry } : {})} />
}

function TryAgain({ retry }: { retry: (() => void) | undefined }) {
  if (!retry) return null
  return (
    <button type="button" className="link" onClick={retry}>
      Try again
    </button>
  )
}

/** No answer at all: the strip above says so, too, and what only reads is asked again by itself. */
function NoAnswer({ retry }: { retry: (() => void) | undefined }) {
  const connection = useConnection()
  return (
    <div className="failure away" role="status">
      The emulator {connection === 'lost' ? 'does' : 'did'} not answer.
      <Simulated />
      <TryAgain retry={retry} />
    </div>
  )
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const code = error instanceof SvcError ? error.code : undefined
  const issues = error instanceof SvcError ? error.issues : []
  if (code === 'NETWORK') return <NoAnswer retry={retry} />
  return (
    <div className="failure" role="alert">
      <b>{wordsOf(error)}</b>
      {issues.length === 0 ? null : (
        <ul>
          {issues.slice(0, 20).map(({ path, message }) => (
            <li key={path.join('.') + message}>
              <code className="mono">{path.join('.') || 'document'}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {code === undefined ? null : <span className="mono dim">{code}</span>}
      <Simulated />
      <TryAgain retry={retry} />
    </div>
  )
}
