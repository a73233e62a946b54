import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/context.js'

/** Of what the login provider does there are no events. */
export const refreshMilliseconds = 2_000

/** The last logins through a provider, the last one first, read again and again while they are wanted. */
export function useFlows(isWanted = true) {
  const { control, project } = useSession()
  return useQuery({
    queryKey: ['flows', 'hops', project.id],
    queryFn: async () => (await control.idp.flows.list({ project: project.id })).flows,
    refetchInterval: refreshMilliseconds,
    enabled: isWanted,
  })
}
