/** Logs in without a browser: chooses the account on the page of the built-in provider, and follows the redirects. */
import { CliFailure, exits } from '../base/failure.js'
import { type Outcome, readOutcome } from './outcome.js'

/** Never opened. Only its query is read. */
export const nowhere = 'http://127.0.0.1/'

const maxSteps = 5

/** @throws {CliFailure} if the redirects end elsewhere */
export async function walk(url: string, account: string): Promise<Outcome> {
  let answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ account }), redirect: 'manual' })
  for (let step = 0; step < maxSteps; step++) {
    const location = answer.headers.get('location')
    if (location === null) break
    await answer.body?.cancel()
    const outcome = location.startsWith(nowhere) ? readOutcome(location) : undefined
    if (outcome) return outcome
    answer = await fetch(location, { redirect: 'manual' })
  }
  throw new CliFailure('LOGIN_FAILED', exits.failed, `The login stopped at a page with status ${answer.status}.`)
}
