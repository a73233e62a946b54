/** A write that goes on until the service has taken or refused it. */
import type { Client } from '../index.js'
import type { SvcError } from '../protocol/model/errors.js'
import { backOff, isPassing } from '../send.js'

/** It goes on soon after the service is back. */
const mostDoublings = 3

/**
 * @param onWaiting receives why it is sent again
 * @throws {SvcError} what cannot pass, and the last failure if another user is signed in by then: it was not their write
 */
export async function persistently<Result>(
  { auth }: Pick<Client, 'auth'>,
  send: (attempt: number) => Promise<Result>,
  onWaiting: (why: SvcError) => void,
): Promise<Result> {
  const whoAsks = async () => (await auth.session())?.user.id
  const writer = await whoAsks()
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(attempt)
    } catch (error) {
      const failure = error as SvcError
      if (!isPassing(failure)) throw failure
      onWaiting(failure)
      await new Promise((resolve) => setTimeout(resolve, backOff(Math.min(attempt, mostDoublings), 1_000)))
      if ((await whoAsks()) !== writer) throw failure
    }
  }
}
