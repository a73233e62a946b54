/** Shows a failure in place of the content. */
import { SvcError } from '../../client/index.js'
import { describeError } from '../parts/states.js'
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

/** Shows that the emulator did not answer. Reads are retried automatically. */
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
      <b>{describeError(error)}</b>
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
