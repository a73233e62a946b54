/** Queries that several pages share. Each has one key, so its answer is cached once. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { setClockOffset } from '../parts/time.js'
import { useSession } from '../session/context.js'

export function useCollections() {
  const { client, acting } = useSession()
  return useQuery({ queryKey: ['collections', acting?.user.id], queryFn: () => client.collections.list() })
}

/** Matches the limit of the control API. */
export const maxMails = 200

export function useMails() {
  const { control, project } = useSession()
  return useQuery({
    queryKey: ['mail'],
    queryFn: async () => (await control.mail.list({ project: project.id, limit: maxMails })).mails,
  })
}

export function useConnections() {
  const { control, project } = useSession()
  return useQuery({
    queryKey: ['connections'],
    queryFn: async () => (await control.connections.list({ project: project.id })).connections,
    refetchInterval: 5_000,
  })
}

/** The login provider emits no events, so pages poll. */
export const refreshMilliseconds = 2_000

/** Polls the last logins through a provider, newest first. */
export function useFlows(isWanted = true) {
  const { control, project } = useSession()
  return useQuery({
    queryKey: ['flows', 'hops', project.id],
    queryFn: async () => (await control.idp.flows.list({ project: project.id })).flows,
    refetchInterval: refreshMilliseconds,
    enabled: isWanted,
  })
}

export function useFaults() {
  const { control } = useSession()
  return useQuery({ queryKey: ['faults'], queryFn: async () => (await control.faults.list()).faults })
}

export function useInfo() {
  const { control } = useSession()
  return useQuery({ queryKey: ['info'], queryFn: () => control.info.get(), refetchInterval: 10_000 })
}

/** Reads the project's clock, which is the emulator's or its own. */
export function useClock(refetchInterval = 10_000) {
  const { control, project } = useSession()
  const clock = useQuery({
    queryKey: ['clock'],
    queryFn: async () => {
      const [followed, service] = await Promise.all([
        control.clock.ofProject.get({ project: project.id }),
        control.clock.get(),
      ])
      return { ...followed, isOwn: followed.offset !== service.offset }
    },
    refetchInterval,
  })
  const offset = clock.data?.offset ?? 0
  useEffect(() => setClockOffset(offset), [offset])
  return clock
}

export function useProject() {
  const { control, project } = useSession()
  return useQuery({
    queryKey: ['project'],
    queryFn: () => control.projects.get({ project: project.id }),
    refetchInterval: 5_000,
  })
}

interface Counts {
  /** Undefined until loaded. */
  readonly counts: { readonly [name: string]: number | undefined }
  /** The first failure to count collections, users or files. */
  readonly error: unknown
}

export function useCounts(): Counts {
  const { owner, control, project } = useSession()
  const users = useQuery({
    queryKey: ['users', 'count'],
    queryFn: async () => (await owner.users.list({ limit: 1 })).total ?? undefined,
  })
  const requests = useQuery({
    queryKey: ['requests', 'count'],
    queryFn: async () => (await control.requests.list({ project: project.id, limit: 1 })).kept,
    refetchInterval: 5_000,
  })
  const files = useQuery({ queryKey: ['files', 'usage'], queryFn: () => owner.files.info() })
  const collections = useCollections()
  return {
    counts: {
      collections: collections.data?.length,
      users: users.data,
      files: files.data?.files,
      requests: requests.data,
      mail: useMails().data?.length,
      connections: useConnections().data?.length,
      faults: useFaults().data?.length || undefined,
    },
    error: collections.error ?? users.error ?? files.error,
  }
}

export type Info = NonNullable<ReturnType<typeof useInfo>['data']>

/** Returns whether all data is lost when the process ends. */
export function isInMemory({ dataDir, servers }: Info['database']): boolean {
  return dataDir === null && servers.length === 0
}
