import type { LiveState } from 'svc-toolkit-client/react'
import { describeError, hint } from './attempt'
import { useOutbox } from './svc'

/** Shows the state of the list, and the writes that are not saved. */
export function Outbox({ list: { status, isLoading, error } }: { list: LiveState<unknown> }) {
  const { pending, sending, conflicts, waiting, problem, retry, discard } = useOutbox()
  const count = pending.length + (sending ? 1 : 0)
  return (
    <div className="notices">
      {error && <p role="alert">This list is no longer updated. {describeError(error)}</p>}
      {status === 'waiting' && (
        <p role="status">The collection “tasks” does not exist yet. Create it: npx svc seed seed.json</p>
      )}
      {status === 'connecting' && isLoading && <p role="status">Loading …</p>}
      {(status === 'reconnecting' || status === 'offline') && (
        <p role="status">Cannot reach the service. Trying again …{hint}</p>
      )}
      {waiting && count > 0 && (
        <p role="status">
          {count === 1 ? 'One change is' : `${count} changes are`} not saved yet. They are kept on this device, and
          saved when the service is back.
        </p>
      )}
      {problem && <p role="alert">{problem.message}</p>}
      {conflicts.map(({ key, error, body }) => (
        <p key={key} role="alert">
          Not saved{'title' in body && `: “${body.title}”`}. {describeError(error)}{' '}
          <button type="button" className="quiet" onClick={() => retry(key)}>
            Try again
          </button>
          <button type="button" className="quiet" onClick={() => discard(key)}>
            Discard
          </button>
        </p>
      ))}
    </div>
  )
}
