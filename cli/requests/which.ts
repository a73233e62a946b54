import type { Control } from '../../client/control.js'
import { CliFailure, exits } from '../base/failure.js'

/** A request by its id; without one, the newest that was refused or failed, else the newest. */
export async function whichRequest({ requests }: Control, id: string | undefined): Promise<string> {
  if (id !== undefined) return id
  return newestOf(requests, ['4xx,5xx', undefined], 'No requests yet.')
}

/** A request by its id; without one, the newest that was refused or failed. */
export async function whichRefused({ requests }: Control, id: string | undefined): Promise<string> {
  if (id !== undefined) return id
  return newestOf(requests, ['4xx,5xx'], 'No request was refused yet.')
}

async function newestOf(
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
  const hint = 'Switch it on: svc project set requestLog:=true'
  return new CliFailure('NOT_FOUND', exits.notFound, 'The emulator records no requests.', hint)
}
