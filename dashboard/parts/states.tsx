/** What stands in the place of content: what comes, what is missing, what failed. */
import type { ReactNode } from 'react'
import { SvcError } from '../../client/index.js'
import { useConnection } from '../live/context.js'

export function Empty({ title, children, command }: { title: string; children?: ReactNode; command?: string }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
      {command === undefined ? null : <code className="mono">{command}</code>}
    </div>
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
      <TryAgain retry={retry} />
    </div>
  )
}
