/** The emulator's own API, for processes that may read its emulator file. Contract 11. */
import { type Control, controlClient } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { asFailure, openSender } from '../../client/send.js'
import { CliFailure, exits, isUnreachable } from '../base/failure.js'
import { noEmulator } from '../base/here.js'
import type { EmulatorInfo } from './emulator-file.js'
import { fetchDirectly } from './fetch-directly.js'

// Waiting for a mail takes a minute at most.
const maxMilliseconds = 70_000
// A large snapshot takes its time.
const maxMillisecondsOfSnapshots = 600_000

/** The same as {@link openControl}, for what saves or loads snapshots. */
export function openSnapshotControl(emulator: Pick<EmulatorInfo, 'url' | 'controlToken'>): Control {
  return openControl(emulator, maxMillisecondsOfSnapshots)
}

/** @throws {SvcError} whatever the emulator answers, {@link CliFailure} if it does not, or belongs to another start. */
export function openControl(
  { url, controlToken }: Pick<EmulatorInfo, 'url' | 'controlToken'>,
  timeout = maxMilliseconds,
): Control {
  const { send, openStream } = openSender({ url, timeout, retry: { attempts: 1 }, fetch: fetchDirectly })
  const explained = (error: unknown) => Promise.reject(explain(error, url))
  return controlClient(
    (request) => send(request).catch(explained),
    controlToken,
    (request) => openStream(request).catch((error) => explained(asFailure(error, url))),
  )
}

function explain(error: unknown, url: string): unknown {
  if (error instanceof SvcError && error.cause instanceof CliFailure) return error.cause
  if (isUnreachable(error)) return noEmulator(undefined, error)
  if (!(error instanceof SvcError) || error.status !== 401) return error
  const message = `What answers at ${url} is not the emulator of this folder.`
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, message, 'See what runs: svc status', { cause: error })
}
