import { isWriting, type ParityCase, usedIn } from './case.js'
import { rows } from './cases/filters.js'

const probeCalls = 11

/** Counts what a run makes at the service, before anything is sent. Cases that differ run twice, so `users` is the most. */
export function estimate(cases: readonly ParityCase[], isReadOnly: boolean) {
  const chosen = isReadOnly ? cases.filter((one) => !isWriting(one)) : cases
  const text = (one: ParityCase) => JSON.stringify(one.steps)
  const uses = (name: 'rows' | 'many' | 'user') => (chosen.some((one) => usedIn(one)[name]) ? 1 : 0)
  const fresh = chosen.filter((one) => text(one).includes('{fresh}')).length
  const signUps = chosen.filter((one) => text(one).includes('{email}')).length
  const steps = chosen.reduce((sum, one) => sum + one.steps.length, 0)
  const fixtures = uses('rows') * (rows.length + 2) + uses('many') * 3 + uses('user')
  return {
    calls: probeCalls + steps + fresh + fixtures,
    collections: isReadOnly ? 0 : fresh + uses('rows') + uses('many') + 1,
    users: 2 * signUps + uses('user'),
  }
}
