/** Follows a list of requests: adds new ones, and updates open ones. */
import type { RequestSummary } from '../../../client/protocol/control/requests.js'

export const maxRequests = 1_000

/** Limits open requests per poll. The query string could hold more, but nobody watches that many. */
const maxOpen = 50

/** Returns the ids of open requests. Starts after the last one asked for, so that each gets its turn. */
export function findOpen(shown: readonly RequestSummary[], last?: string): string[] {
  const next = shown.findIndex(({ id }) => id === last) + 1
  return [...shown.slice(next), ...shown.slice(0, next)]
    .filter(({ state }) => state === 'open')
    .map(({ id }) => id)
    .slice(0, maxOpen)
}

interface Again {
  /** Ids that were asked for. */
  readonly asked: readonly string[]
  readonly found: readonly RequestSummary[]
}

/** Merges new and updated requests into the list. Treats a request that is no longer stored as answered. */
export function mergeRequests(
  shown: readonly RequestSummary[],
  newer: readonly RequestSummary[],
  { asked, found }: Again,
): readonly RequestSummary[] {
  if (newer.length + asked.length === 0) return shown
  const isNewer = new Set(newer.map(({ id }) => id))
  const isAsked = new Set(asked)
  const changed = new Map(found.map((request) => [request.id, request]))
  const now = (request: RequestSummary): RequestSummary =>
    isAsked.has(request.id) ? (changed.get(request.id) ?? { ...request, state: 'answered' }) : request
  return [...newer, ...shown.filter(({ id }) => !isNewer.has(id)).map(now)].slice(0, maxRequests)
}
