/** Caches the names for completion. */
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useCollections } from '../../frame/counts.js'
import { useSession } from '../../session/context.js'
import type { Names } from './completion.js'

const freshMilliseconds = 30_000

export function useNames(): Names {
  const { control, project } = useSession()
  const queries = useQueryClient()
  const { data } = useCollections()
  return useMemo(
    () => ({
      collections: () => (data ?? []).map(({ name }) => name),
      async columns(name) {
        const { columns } = await queries.fetchQuery({
          queryKey: ['columns', project.id, name],
          queryFn: () => control.sql.view({ project: project.id, name }),
          staleTime: freshMilliseconds,
        })
        return columns
      },
    }),
    [control, project.id, queries, data],
  )
}
