/** Follows the recorded requests. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { useSession } from '../../session/context.js'
import { findOpen, maxRequests, mergeRequests } from './follow.js'

export interface RequestFilter {
  readonly status: string
  readonly method: string
  readonly path: string
  readonly user: string
  readonly isOwnShown: boolean
}

const pollMilliseconds = 700

/** Polls for newer requests, and for open ones. A hidden tab does not poll. */
export function useRequests({ status, method, path, user, isOwnShown }: RequestFilter, isPaused: boolean) {
  const { control, project, ownerKey } = useSession()
  const [requests, setRequests] = useState<readonly RequestSummary[]>([])
  const newest = useRef<string>(undefined)
  const latest = useRef(requests)
  latest.current = requests
  const lastAsked = useRef<string>(undefined)
  const filter = {
    project: project.id,
    ...(status === '' ? {} : { status }),
    ...(method === '' ? {} : { method }),
    ...(path === '' ? {} : { path }),
    ...(user === '' ? {} : { user }),
  }
  const key = JSON.stringify(filter)

  // Start over when the filter changes.
  useEffect(() => {
    newest.current = undefined
    setRequests([])
  }, [key])

  const { data, error, refetch } = useQuery({
    queryKey: ['requests', key],
    queryFn: async () => {
      const after = newest.current
      const asked = after === undefined ? [] : findOpen(latest.current, lastAsked.current)
      lastAsked.current = asked.at(-1)
      const list = (which: object) => control.requests.list({ ...filter, limit: maxRequests, ...which })
      // Ask by id, because thousands of requests may lie between two open ones.
      const again = { asked, found: asked.length > 0 ? (await list({ ids: asked.join(',') })).requests : [] }
      const found = await list(after === undefined ? {} : { after })
      newest.current = found.requests[0]?.id ?? after
      return { ...found, again }
    },
    refetchInterval: isPaused ? false : pollMilliseconds,
    gcTime: 0,
  })
  useEffect(() => {
    if (!data) return
    // Replace the list if the emulator no longer has the newest request shown.
    setRequests((before) => (data.isWhole ? data.requests : mergeRequests(before, data.requests, data.again)))
  }, [data])

  const shown = isOwnShown ? requests : requests.filter(({ caller }) => caller.key !== ownerKey.id)
  return { requests: shown, data, error, refetch, isOn: data?.isOn ?? true }
}
