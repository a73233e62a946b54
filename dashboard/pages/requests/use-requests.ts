/** The requests that the emulator has recorded, followed as they come. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { useSession } from '../../session/context.js'

export interface RequestFilter {
  readonly status: string
  readonly method: string
  readonly path: string
  readonly user: string
  readonly isOwnShown: boolean
}

const pollMilliseconds = 700
const most = 1_000

/** Polls for what came after the newest; a hidden tab does not poll. */
export function useRequests({ status, method, path, user, isOwnShown }: RequestFilter, isPaused: boolean) {
  const { control, project, ownerKey } = useSession()
  const [requests, setRequests] = useState<readonly RequestSummary[]>([])
  const newest = useRef<string>(undefined)
  const filter = {
    project: project.id,
    ...(status === '' ? {} : { status }),
    ...(method === '' ? {} : { method }),
    ...(path === '' ? {} : { path }),
    ...(user === '' ? {} : { user }),
  }
  const key = JSON.stringify(filter)

  // Another filter begins anew.
  useEffect(() => {
    newest.current = undefined
    setRequests([])
  }, [key])

  const { data, error, refetch } = useQuery({
    queryKey: ['requests', key],
    queryFn: async () => {
      const after = newest.current
      const found = await control.requests.list({ ...filter, limit: most, ...(after === undefined ? {} : { after }) })
      newest.current = found.requests[0]?.id ?? after
      return { ...found, isWhole: after === undefined }
    },
    refetchInterval: isPaused ? false : pollMilliseconds,
    gcTime: 0,
  })
  useEffect(() => {
    if (!data) return
    setRequests((before) => (data.isWhole ? data.requests : joined(data.requests, before)))
  }, [data])

  const shown = isOwnShown ? requests : requests.filter(({ caller }) => caller.key !== ownerKey.id)
  return {
    requests: shown,
    error,
    retry: () => void refetch(),
    isOn: data?.isOn ?? true,
    isLoading: data === undefined,
  }
}

function joined(newer: readonly RequestSummary[], before: readonly RequestSummary[]): readonly RequestSummary[] {
  if (newer.length === 0) return before
  const ids = new Set(newer.map(({ id }) => id))
  return [...newer, ...before.filter(({ id }) => !ids.has(id))].slice(0, most)
}
