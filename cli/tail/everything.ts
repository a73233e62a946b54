/** Streams all events of an emulator, and reconnects when the connection is lost. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Control } from '../../client/control.js'
import { SvcError } from '../../client/protocol/model/errors.js'
import type { EmulatorEvent } from '../../client/protocol/model/events/emulator-event.js'
import { CliFailure, exits } from '../base/failure.js'

export type Seen =
  | { readonly type: 'event'; readonly event: EmulatorEvent }
  | { readonly type: 'ready' }
  | { readonly type: 'lost' }
  | { readonly type: 'back' }

export interface EventSelection {
  readonly kinds: string | undefined
  readonly last: number | undefined
}

const retryMilliseconds = 1_000

/**
 * Resumes after the last received event, until the signal aborts.
 *
 * @param connect called for each connection, because a restarted emulator may have another address
 * @throws {CliFailure} if the first connection fails
 */
export async function* everything(
  connect: () => Control,
  { kinds, last }: EventSelection,
  signal: AbortSignal,
): AsyncGenerator<Seen> {
  let since: string | undefined
  let isLost = false
  while (!signal.aborted) {
    try {
      const asked = { kinds, ...(since === undefined ? { last } : { since }), signal }
      for await (const event of connect().events.stream(asked)) {
        yield toSeen(event, since === undefined)
        since = event.id
        isLost = false
      }
    } catch (error) {
      if (since === undefined || !isGone(error)) throw error
    }
    if (signal.aborted) return
    if (!isLost) yield { type: 'lost' }
    isLost = true
    await pause(retryMilliseconds, undefined, { signal }).catch(() => undefined)
  }
}

/** @param isFirst whether this is the first connection */
function toSeen(event: EmulatorEvent, isFirst: boolean): Seen {
  if (event.kind !== 'stream.opened') return { type: 'event', event }
  return { type: isFirst ? 'ready' : 'back' }
}

/** Returns whether the connection or the server is gone. */
function isGone(error: unknown): boolean {
  if (error instanceof CliFailure) return error.exit === exits.notRunning
  return error instanceof SvcError && error.code === 'NETWORK'
}
