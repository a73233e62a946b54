/** What stands in the place of content that could not be read. */
import { SvcError } from '../../client/index.js'
import { wordsOf } from '../parts/states.js'
import { useConnection } from './context.js'
import { Simulated } from './simulated.js'

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
