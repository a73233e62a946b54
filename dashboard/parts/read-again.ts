import type { QueryClient } from '@tanstack/react-query'

/**
 * Fetches everything that is shown once more: after a reconnect, or as somebody else. A fetch in flight that has no cached
 * answer would go on otherwise, though its connection or its session has ended.
 */
export async function readAgain(queries: QueryClient) {
  await queries.cancelQueries({ type: 'active', predicate: ({ state }) => state.data === undefined })
  await queries.invalidateQueries()
}
