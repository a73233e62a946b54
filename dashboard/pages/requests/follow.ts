/** A list of requests that is followed: what came since, and how the open ones have ended. */
import type { RequestSummary } from '../../../client/protocol/control/requests.js'

export const most = 1_000

interface Range {
  readonly before?: string
  readonly after?: string
}

/** Between which two requests of the list all open ones are; undefined where none is. */
export function rangeOfOpen(shown: readonly RequestSummary[]): Range | undefined {
  const isOpen = ({ state }: RequestSummary) => state === 'open'
  const first = shown.findIndex(isOpen)
  if (first < 0) return undefined
  const before = shown[first - 1]?.id
  const after = shown[shown.findLastIndex(isOpen) + 1]?.id
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}

/** @param again what was open, as it is by now */
export function joined(
  shown: readonly RequestSummary[],
  newer: readonly RequestSummary[],
  again: readonly RequestSummary[],
): readonly RequestSummary[] {
  if (newer.length + again.length === 0) return shown
  const isNewer = new Set(newer.map(({ id }) => id))
  const changed = new Map(again.map((request) => [request.id, request]))
  const kept = shown.filter(({ id }) => !isNewer.has(id)).map((request) => changed.get(request.id) ?? request)
  return [...newer, ...kept].slice(0, most)
}
