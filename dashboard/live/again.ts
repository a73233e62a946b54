/** Retries of queries that failed for a transient reason, such as a restart of the emulator. */
import type { QueryClientConfig, QueryState } from '@tanstack/react-query'
import { SvcError } from '../../client/index.js'
import { isTransient } from '../../client/send.js'

const againMilliseconds = 1_000

/**
 * Refetches a failed query until it succeeds. Invalidating all queries at the reconnect is not enough, because a starting
 * emulator refuses them. A first fetch that timed out is retried on demand only: its skeleton would hide the failure again.
 */
export function untilAnswered({ state }: { readonly state: Pick<QueryState, 'data' | 'error'> }): number | false {
  const { data, error } = state
  if (!(error instanceof SvcError) || !isTransient(error)) return false
  return error.code === 'TIMEOUT' && data === undefined ? false : againMilliseconds
}

/** Fetches even when the browser is offline, because the emulator runs on this machine. */
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

/** Turns 403 and 404 into undefined, and rethrows everything else, such as an unreachable emulator. */
export function ignoreRefusal(error: unknown): undefined {
  if (error instanceof SvcError && (error.status === 403 || error.status === 404)) return undefined
  throw error
}
