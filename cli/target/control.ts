/** The emulator's own API, for whoever may read its emulator file. Contract 11. */
import { SvcError } from '../../client/protocol/model/errors.js'
import type { Json } from '../../client/protocol/model/json.js'
import { openSender, type Request } from '../../client/send.js'
import { CliFailure, exits, isUnreachable } from '../base/failure.js'
import { noEmulator } from '../base/here.js'
import type { EmulatorInfo } from './emulator-file.js'
import { fetchDirectly } from './fetch-directly.js'

/** Asks the control API; paths begin after `/_svc/api`. Answers the body. */
export type Control = (request: ControlRequest) => Promise<Json>

export interface ControlRequest extends Pick<Request, 'method' | 'path' | 'body'> {
  /** What is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
}

// Waiting for a mail takes a minute at most.
const mostMilliseconds = 70_000

/** @throws {SvcError} whatever the emulator answers, {@link CliFailure} if it does not, or belongs to another start. */
export function openControl({ url, controlToken }: Pick<EmulatorInfo, 'url' | 'controlToken'>): Control {
  const { send } = openSender({ url, timeout: mostMilliseconds, retry: { attempts: 1 }, fetch: fetchDirectly })
  const headers = { 'svc-control-token': controlToken }
  return async ({ method, path, query = {}, body }) => {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    )
    try {
      return (await send({ method, path: `/_svc/api${path}`, query: given, body, headers })).body
    } catch (error) {
      throw explain(error, url)
    }
  }
}

function explain(error: unknown, url: string): unknown {
  if (error instanceof SvcError && error.cause instanceof CliFailure) return error.cause
  if (isUnreachable(error)) return noEmulator(undefined, error)
  if (!(error instanceof SvcError) || error.status !== 401) return error
  const message = `What answers at ${url} is not the emulator of this folder.`
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, message, 'See what runs: svc status', { cause: error })
}
