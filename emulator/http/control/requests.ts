import { SvcError } from '../../../client/protocol/model/errors.js'
import { listLimits } from '../../../client/protocol/model/limits.js'
import type { Backend } from '../../core/context.js'
import { readEmails } from '../../core/requests/emails.js'
import { explain } from '../../core/requests/plan.js'
import type { KeptRequest } from '../../core/requests/request-log.js'
import { differencesOf } from '../requests/differences.js'
import { passes } from '../requests/filter.js'
import { replayed } from '../requests/replay.js'
import { shownRecord, shownSummary } from '../requests/shown.js'
import type { ControlHandlers } from './control-routes.js'

const limits = listLimits.requests

export const requests: ControlHandlers['requests'] = {
  async list(backend, { request: { limit, ...filter } }) {
    const all = backend.requests.list()
    const found = passes(all, filter).slice(0, Math.min(limit || limits.usual, limits.most))
    const emails = await readEmails(backend, found)
    return {
      isOn: backend.requests.isOn,
      requests: found.map((request) => shownSummary(request, emails)),
      kept: all.length,
      isWhole: filter.after === undefined || !backend.requests.get(filter.after),
    }
  },
  get: (backend, { params }) => shown(backend, requireRequest(backend, params.id)),
  plan: (backend, { params, request }) => explain(backend, requireRequest(backend, params.id), request.statement ?? 0),
  async replay(backend, { params, request }) {
    const kept = requireRequest(backend, params.id)
    const repeated = await replayed(backend, kept, request)
    const [before, after] = [await shown(backend, kept), await shown(backend, repeated)]
    return { before, after, differences: differencesOf(before, after) }
  },
  clear: (backend, { request }) => ({ count: backend.requests.clear(request.project) }),
}

async function shown(backend: Backend, request: KeptRequest) {
  return shownRecord(request, await readEmails(backend, [request]))
}

function requireRequest({ requests }: Backend, id: string): KeptRequest {
  const found = requests.get(id)
  if (found) return found
  const why = requests.isOn ? 'The last 1,000 are kept, in memory.' : 'The emulator records none.'
  throw new SvcError('NOT_FOUND', `No request "${id.slice(0, 80)}". ${why}`)
}
