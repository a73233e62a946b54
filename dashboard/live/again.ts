/** Retries of queries that failed for a transient reason, such as a restart of the emulator. */
import type { QueryClientConfig, QueryState } from '@tanstack/react-query'
import { SvcError } from '../../client/index.js'
import { isTransient } from '../../client/send.js'

const againMilliseconds = 1_000

/**
 * Refetches a failed query until it succeeds. Invalidating all queries at the reconnect is not enough: an emulator that is still
 * starting refuses them. A first fetch that timed out is retried on demand only: at once, its skeleton would hide the failure for
 * as long again.
 */
export function untilAnswered({ state }: { readonly state: Pick<QueryState, 'data' | 'error'> }): number | false {
  const { data, error } = state
  if (!(error instanceof SvcError) || !isTransient(error)) return false
  return error.code === 'TIMEOUT' && data === undefined ? false : againMilliseconds
}

/** The emulator is on this machine: whether the machine has a network says nothing about it. */
export const queryDefaults: NonNullable<QueryClientConfig['defaultOptions']> = {
  queries: {
    staleTime: 5_000,
    retry: false,
    networkMode: 'always',
    refetchInterval: untilAnswered,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    structuralSharing: true,
  },
  mutations: { networkMode: 'always' },
}

/** Undefined for what the caller may not read, and for nothing else: an emulator that is unreachable has not answered 404. */
export function unlessRefused(error: unknown): undefined {
  if (error instanceof SvcError && (error.status === 403 || error.status === 404)) return undefined
  throw error
}
