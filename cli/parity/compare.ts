/** Compares what a case showed on both sides. The first difference in a fixed order is the finding. */
import { equalJson, type Json } from '../../client/protocol/model/json.js'
import type { Level } from '../../client/protocol/model/parity.js'
import type { Look, ParityCase } from './case.js'
import type { Observation } from './run-case.js'

export interface Difference {
  readonly part: 'outcome' | 'status' | 'headers' | Look
  readonly level: Level
  readonly here: Json
  readonly there: Json
}

/** Order of comparison: what breaks most comes first. */
const order: readonly (readonly [look: Look, level: Level])[] = [
  ['rows', 'breaks'],
  ['count', 'breaks'],
  ['order', 'breaks'],
  ['kind', 'breaks'],
  ['record', 'breaks'],
  ['list', 'breaks'],
  ['document', 'breaks'],
  ['session', 'breaks'],
  ['links', 'breaks'],
  ['error', 'minor'],
  ['body', 'minor'],
  ['fields', 'breaks'],
  ['value', 'breaks'],
  ['changes', 'breaks'],
  ['event', 'breaks'],
  ['frame', 'breaks'],
]

export function compareObservations(
  { compare }: ParityCase,
  here: Observation,
  there: Observation,
): Difference | undefined {
  if (here.outcome !== there.outcome || here.step !== there.step) {
    return { part: 'outcome', level: 'breaks', here: outcomeWords(here), there: outcomeWords(there) }
  }
  if (compare.includes('status') && here.status !== there.status) {
    return { part: 'status', level: 'minor', here: here.status, there: there.status }
  }
  for (const [look, level] of order) {
    const [one, other] = [here.seen[look] ?? null, there.seen[look] ?? null]
    if (!equalJson(one, other)) return { part: look, level, here: one, there: other }
  }
  if (here.outcome === 'done' && here.type !== there.type) {
    return { part: 'headers', level: 'note', here: here.type, there: there.type }
  }
  return undefined
}

function outcomeWords({ outcome, status, step }: Observation): string {
  return status === 0 ? 'no subscription' : `${outcome} with ${status} at step ${step}`
}
