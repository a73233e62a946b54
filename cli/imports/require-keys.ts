import * as addresses from '../../client/protocol/wire/paths/encode.js'
import { CliFailure, exits } from '../base/failure.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import type { Target } from '../target/target.js'
import { counted } from '../terminal/print.js'
import type { ImportState } from './state.js'

/**
 * Checks that the service supports idempotency keys before it resumes a run with unanswered requests. Without them,
 * requests could run twice. Such a service sends its dialect with every response.
 *
 * @throws {CliFailure} `OUTCOME_UNKNOWN`
 */
export async function requireKeys({ url, key }: Target, states: readonly (ImportState | undefined)[]): Promise<void> {
  const open = states.find((state) => state?.isOpen)
  if (!open) return
  const headers = key === undefined ? undefined : { 'x-api-key': key }
  const answer = await fetchDirectly(`${url}${addresses.users}?limit=1`, { headers })
  if (answer.headers.has('svc-dialect')) return
  throw new CliFailure(
    'OUTCOME_UNKNOWN',
    exits.network,
    `An earlier run with "${open.file}" stopped after ${counted(open.done, 'record')}: more of it may have been created.`,
    'Check which documents exist. Then import the rest from a separate file, or start over with --restart.',
  )
}
