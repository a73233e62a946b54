/** A list of requests that is followed: what came since, and how the open ones have ended. */
import type { RequestSummary } from '../../../client/protocol/control/requests.js'

export const most = 1_000

/** Streams that are asked for again at once. An address has room for more, and nobody looks at as many. */
const mostOpen = 50

/** The ids of those that are open; of many, those behind the one that was asked for last, so that each has its turn. */
export function openOnes(shown: readonly RequestSummary[], last?: string): string[] {
  const next = shown.findIndex(({ id }) => id === last) + 1
  return [...shown.slice(next), ...shown.slice(0, next)]
    .filter(({ state }) => state === 'open')
    .map(({ id }) => id)
    .slice(0, mostOpen)
}

interface Again {
  /** The ids of what was asked for again. */
  readonly asked: readonly string[]
  readonly found: readonly RequestSummary[]
}

/** What is shown, with what came since. One that is asked for again and no longer kept has ended, as far as anybody can know. */
export function joined(
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
  return [...newer, ...shown.filter(({ id }) => !isNewer.has(id)).map(now)].slice(0, most)
}
