import { useQuery, useQueryClient } from '@tanstack/react-query'
import { formatEffect } from '../../client/protocol/model/faults/words.js'
import { useSession } from '../session/context.js'

/** Names the injected faults that affected requests, because they may be the cause of a failure. */
export function Simulated() {
  const { control, project } = useSession()
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: ['faults'],
    queryFn: async () => (await control.faults.list()).faults,
  })
  const struck = data?.filter(({ hits, project: of }) => hits > 0 && (of === undefined || of === project.id)) ?? []
  if (struck.length === 0) return null
  const turnOff = async () => {
    for (const { id } of struck) await control.faults.remove({ fault: id })
    await queries.invalidateQueries()
  }
  return (
    <span>
      Simulated: <b>{struck.map(formatEffect).join(', ')}</b>.{' '}
      <button type="button" className="link" onClick={() => void turnOff()}>
        {struck.length === 1 ? 'Remove the fault' : 'Remove the faults'}
      </button>
    </span>
  )
}
