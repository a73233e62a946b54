import type { LiveState, Mutations } from 'svc-toolkit-client/react'
import { describeError, hint } from './attempt'
import type { Task } from './svc-types'

interface NoticesProps {
  list: LiveState<unknown>
  writes: Mutations<Task>
}

/** Shows the state of the list and of pending writes. */
export function Notices({ list, writes }: NoticesProps) {
  const { status, isLoading, error } = list
  return (
    <div className="notices">
      {error && <p role="alert">This list is no longer updated. {describeError(error)}</p>}
      {!error && status === 'waiting' && (
        <p role="status">The collection “tasks” does not exist yet. Create it: npx svc seed seed.json</p>
      )}
      {!error && status === 'connecting' && isLoading && <p role="status">Loading …</p>}
      {!error && status === 'reconnecting' && isLoading && (
        <p role="status">Cannot reach the service. Trying again …{hint}</p>
      )}
      {!error && !isLoading && status === 'reconnecting' && (
        <p role="status">Offline. This list may be out of date. Trying again …</p>
      )}
      {writes.waiting && (
        <p role="status">
          {writes.pendingCount === 1 ? 'One change is' : `${writes.pendingCount} changes are`} not saved yet. Keep this
          page open; saving continues when the service is back. ({describeError(writes.waiting)})
        </p>
      )}
      {writes.error && <p role="alert">Not saved: {describeError(writes.error)}</p>}
    </div>
  )
}
