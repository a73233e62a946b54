import type { Control } from '../../client/control.js'
import { CliFailure, exits } from '../base/failure.js'

/** Returns the given id. Without one, the newest request that failed, or else the newest. */
export async function whichRequest({ requests }: Control, id: string | undefined): Promise<string> {
  if (id !== undefined) return id
  return findNewest(requests, ['4xx,5xx', undefined], 'No requests yet.')
}

/** Returns the given id. Without one, the newest request that failed. */
export async function whichRefused({ requests }: Control, id: string | undefined): Promise<string> {
  if (id !== undefined) return id
  return findNewest(requests, ['4xx,5xx'], 'No request has failed yet.')
}

async function findNewest(
  requests: Control['requests'],
  statuses: readonly (string | undefined)[],
  none: string,
): Promise<string> {
  for (const status of statuses) {
    const { isOn, requests: found } = await requests.list({ limit: 1, status })
    const [newest] = found
    if (newest) return newest.id
    if (!isOn) throw notRecorded()
  }
  throw new CliFailure('NOT_FOUND', exits.notFound, none)
}

function notRecorded(): CliFailure {
  const hint = 'Turn it on: svc project set requestLog:=true'
  return new CliFailure('NOT_FOUND', exits.notFound, 'Request recording is off.', hint)
}
