import type { QueryClient } from '@tanstack/react-query'

/**
 * Refetches everything shown, after a reconnect or when acting as another user. Cancels first fetches in flight, because their
 * connection or session may have ended.
 */
export async function refetchShown(queries: QueryClient) {
  await queries.cancelQueries({ type: 'active', predicate: ({ state }) => state.data === undefined })
  await queries.invalidateQueries()
}
