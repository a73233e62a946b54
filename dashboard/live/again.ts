/** What becomes of a question that failed for a reason that passes, such as a restart of the emulator. */
import type { QueryClientConfig, QueryState } from '@tanstack/react-query'
import { SvcError } from '../../client/index.js'
import { isPassing } from '../../client/send.js'

const againMilliseconds = 1_000

/**
 * Asks again until there is an answer. Reading everything again at the reconnect is not enough: an emulator that is still
 * starting refuses what it is asked. A first answer that was waited for in vain for the whole time limit is asked for on demand:
 * asked for at once, it would hide what went wrong for as long again.
 */
export function untilAnswered({ state }: { readonly state: Pick<QueryState, 'data' | 'error'> }): number | false {
  const { data, error } = state
  if (!(error instanceof SvcError) || !isPassing(error)) return false
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

/** For what one may not read, and for nothing else: an emulator that is away has not said that there is nothing. */
export function unlessRefused(error: unknown): undefined {
  if (error instanceof SvcError && (error.status === 403 || error.status === 404)) return undefined
  throw error
}
