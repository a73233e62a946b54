/** Opens the emulator's control API, for processes that can read its emulator file. Contract 11. */
import { type Control, controlClient } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import { asFailure, openSender } from '../../client/send.js'
import { CliFailure, exits, isUnreachable } from '../base/failure.js'
import { noEmulator } from '../base/here.js'
import type { EmulatorInfo } from './emulator-file.js'
import { fetchDirectly } from './fetch-directly.js'

// Longer than the longest wait for a mail, which is one minute.
const maxMilliseconds = 70_000
// Large snapshots take long.
const maxMillisecondsOfSnapshots = 600_000

/** Same as {@link openControl}, with a timeout for saving and loading snapshots. */
export function openSnapshotControl(emulator: Pick<EmulatorInfo, 'url' | 'controlToken'>): Control {
  return openControl(emulator, maxMillisecondsOfSnapshots)
}

/** @throws {SvcError} the error from the emulator, {@link CliFailure} if it does not respond or was restarted */
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
  const message = `The server at ${url} is not the emulator of this folder.`
  return new CliFailure('UNAUTHORIZED', exits.notAuthorised, message, 'Check the running emulator: svc status', {
    cause: error,
  })
}
