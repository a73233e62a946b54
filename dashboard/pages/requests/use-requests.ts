/** The requests that the emulator has recorded, followed as they come. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { useSession } from '../../session/context.js'
import { joined, most, openOnes } from './follow.js'

export interface RequestFilter {
  readonly status: string
  readonly method: string
  readonly path: string
  readonly user: string
  readonly isOwnShown: boolean
}

const pollMilliseconds = 700

/** Polls for what came after the newest, and for the streams that are open; a hidden tab does not poll. */
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

  // Another filter begins anew.
  useEffect(() => {
    newest.current = undefined
    setRequests([])
  }, [key])

  const { data, error, refetch } = useQuery({
    queryKey: ['requests', key],
    queryFn: async () => {
      const after = newest.current
      const asked = after === undefined ? [] : openOnes(latest.current, lastAsked.current)
      lastAsked.current = asked.at(-1)
      const list = (which: object) => control.requests.list({ ...filter, limit: most, ...which })
      // By their ids: between two open ones there may be a thousand others.
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
    // The newest that is shown may be forgotten by the emulator, and what is older with it.
    setRequests((before) => (data.isWhole ? data.requests : joined(before, data.requests, data.again)))
  }, [data])

  const shown = isOwnShown ? requests : requests.filter(({ caller }) => caller.key !== ownerKey.id)
  return { requests: shown, data, error, refetch, isOn: data?.isOn ?? true }
}
