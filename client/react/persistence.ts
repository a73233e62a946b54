/** Sends a write only as the user who started it. */
import type { Client } from '../index.js'
import type { SvcError } from '../protocol/model/errors.js'
import { backOff, isTransient } from '../send.js'

/** Limits the backoff, so that writes resume soon after the service is back. */
const maxDoublings = 3

/**
 * Returns a function that sends the write, possibly much later.
 *
 * @param onWaiting called before each retry. With it, retries continue until the service accepts or refuses the write
 * @throws {SvcError} permanent failures; after a change of user, the last failure, or `UNAUTHORIZED` if nothing was sent
 */
export function openWrite<Result>(
  { auth, collection }: Pick<Client, 'auth' | 'collection'>,
  send: (attempt: number) => Promise<Result>,
  onWaiting: false | ((why: SvcError) => void),
): () => Promise<Result> {
  const whoAsks = async () => (await auth.session())?.user.id
  const writer = whoAsks()
  // Avoids an unhandled rejection, because the write may be sent much later.
  writer.catch(() => undefined)
  return async () => {
    let failure: SvcError | undefined
    for (let attempt = 1; (await whoAsks()) === (await writer); attempt++) {
      try {
        return await send(attempt)
      } catch (error) {
        failure = error as SvcError
        if (!onWaiting || !isTransient(failure)) break
        onWaiting(failure)
        await new Promise((resolve) => setTimeout(resolve, backOff(Math.min(attempt, maxDoublings), 1_000)))
      }
    }
    // Gets the error class from a refused call, because the hooks are published without it.
    throw (
      failure ??
      (await collection('')
        .create([] as never)
        .catch((error) => new error.constructor('UNAUTHORIZED', 'Another user is signed in.')))
    )
  }
}
