/** A login without a browser: the command chooses the account on the page of the built-in provider, and is sent on. */
import { CliFailure, exits } from '../base/failure.js'
import { type Outcome, readOutcome } from './outcome.js'

/** Nothing listens there: the address is read, and never opened. */
export const nowhere = 'http://127.0.0.1/'

const mostSteps = 5

/** @throws {CliFailure} if the pages lead elsewhere */
export async function walk(url: string, account: string): Promise<Outcome> {
  let answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ account }), redirect: 'manual' })
  for (let step = 0; step < mostSteps; step++) {
    const location = answer.headers.get('location')
    if (location === null) break
    const outcome = location.startsWith(nowhere) ? readOutcome(location) : undefined
    if (outcome) return outcome
    answer = await fetch(location, { redirect: 'manual' })
  }
  throw new CliFailure('LOGIN_FAILED', exits.failed, `The login stopped at a page that answers ${answer.status}.`)
}
