/** What becomes of a question that failed for a reason that passes, such as a restart of the emulator. */
import type { QueryClientConfig, QueryState } from '@tanstack/react-query'
import { SvcError } from '../../client/index.js'
import { isPassing } from '../../client/send.js'

const againMilliseconds = 1_000

/**
 * Asks again until there is an answer. Reading everything again at the reconnect is not enough: a first answer that is on
 * its way then is waited for, and fails, and so does one that an emulator refuses which is still starting.
 */
export function untilAnswered({ state: { error } }: { readonly state: Pick<QueryState, 'error'> }): number | false {
  return error instanceof SvcError && isPassing(error) ? againMilliseconds : false
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
