import type { LiveState, Mutations } from 'svc-toolkit-client/react'
import { hint, problemOf } from './attempt'
import type { Task } from './svc-types'

interface NoticesProps {
  list: LiveState<unknown>
  writes: Mutations<Task>
}

/** The state of the list and of the writes, in a sentence each. */
export function Notices({ list, writes }: NoticesProps) {
  const { status, isLoading, error } = list
  return (
    <div className="notices">
      {error && <p role="alert">The list is not kept up to date any more. {problemOf(error)}</p>}
      {!error && status === 'waiting' && (
        <p role="status">There is no collection “tasks” yet. Fill it: npx svc seed seed.json</p>
      )}
      {!error && status === 'connecting' && isLoading && <p role="status">Loading …</p>}
      {!error && status === 'reconnecting' && isLoading && (
        <p role="status">The service does not answer. Trying again …{hint}</p>
      )}
      {!error && !isLoading && status === 'reconnecting' && (
        <p role="status">Offline: this list may be out of date. Trying again …</p>
      )}
      {writes.waiting && (
        <p role="status">
          {writes.pendingCount === 1 ? 'One change is' : `${writes.pendingCount} changes are`} not saved yet, and sent
          as soon as the service answers. Keep this page open. ({problemOf(writes.waiting)})
        </p>
      )}
      {writes.error && <p role="alert">Refused, and taken back: {problemOf(writes.error)}</p>}
    </div>
  )
}
