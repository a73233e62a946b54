/** A write of whoever is signed in when it is begun: nothing of it is sent as another user. */
import type { Client } from '../index.js'
import type { SvcError } from '../protocol/model/errors.js'
import { backOff, isTransient } from '../send.js'

/** It goes on soon after the service is back. */
const mostDoublings = 3

/**
 * How to send it once its turn has come, which may be long after it was begun.
 *
 * @param onWaiting receives why it is sent again; with it, that goes on until the service has taken or refused it
 * @throws {SvcError} what cannot pass, and, once another user is signed in, the last failure, or `UNAUTHORIZED` if it was never sent
 */
export function openWrite<Result>(
  { auth, collection }: Pick<Client, 'auth' | 'collection'>,
  send: (attempt: number) => Promise<Result>,
  onWaiting: false | ((why: SvcError) => void),
): () => Promise<Result> {
  const whoAsks = async () => (await auth.session())?.user.id
  const writer = whoAsks()
  // Its turn may come much later.
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
        await new Promise((resolve) => setTimeout(resolve, backOff(Math.min(attempt, mostDoublings), 1_000)))
      }
    }
    // The hooks are published without the class of errors: what the client refuses, since it is no document, has it.
    throw (
      failure ??
      (await collection('')
        .create([] as never)
        .catch((error) => new error.constructor('UNAUTHORIZED', 'Another user is signed in.')))
    )
  }
}
