import type { z } from 'zod'
import type { requests } from '../../../client/protocol/control/requests.js'
import type { KeptRequest } from '../../core/requests/request-log.js'

type Filter = Omit<z.output<(typeof requests.list)['request']>, 'limit'>

/** Returns the matching requests, newest first. */
export function passes(all: readonly KeptRequest[], filter: Filter): readonly KeptRequest[] {
  const { before, after, ids, ...rest } = filter
  const isNamed = new Set(ids?.split(','))
  const from = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1
  const end = after === undefined ? -1 : all.findIndex(({ id }) => id === after)
  const between = all.slice(from, end < 0 ? undefined : end)
  return between.filter((request) => (ids === undefined || isNamed.has(request.id)) && matches(request, rest))
}

function matches(request: KeptRequest, filter: Omit<Filter, 'before' | 'after' | 'ids'>): boolean {
  const { project, method, path, route, status, code, user, slow } = filter
  const isStatus = (wanted: string) =>
    wanted.endsWith('xx') ? String(request.status).startsWith(wanted.slice(0, 1)) : String(request.status) === wanted
  return (
    (project === undefined || request.project === project) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (path === undefined || request.url.startsWith(path)) &&
    (route === undefined || request.route?.startsWith(route) === true) &&
    (status === undefined || status.split(',').some(isStatus)) &&
    (code === undefined || request.error?.code === code) &&
    (user === undefined || request.caller?.user?.id === user) &&
    (slow === undefined || request.timing.total >= slow)
  )
}
