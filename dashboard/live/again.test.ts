import { expect, test } from 'vitest'
import { SvcError } from '../../client/index.js'
import { ignoreRefusal, untilAnswered } from './again.js'

const timeout = new SvcError('TIMEOUT', 'late')
const refused = (status: number) => new SvcError('UNAVAILABLE', 'no', [], { status })

test.each<[string, unknown, Error | null, number | false]>([
  ['that was answered', 'data', null, false],
  ['whose first fetch timed out', undefined, timeout, false],
  ['whose refetch timed out', 'data', timeout, 1_000],
  ['whose first fetch met no service', undefined, new SvcError('NETWORK', 'gone'), 1_000],
  ['that a service refused which is starting', undefined, refused(503), 1_000],
  ['that is not there', undefined, refused(404), false],
  ['that failed by a fault of the page', undefined, new TypeError('x'), false],
])('a query %s: shown %j, %s, again after %s ms', (_, data, error, milliseconds) => {
  expect(untilAnswered({ state: { data, error } })).toBe(milliseconds)
})

test.each([403, 404])('%i is nothing to show', (status) => {
  expect(ignoreRefusal(refused(status))).toBeUndefined()
})

test.each([refused(503), new TypeError('x')])('%s is a failure', (error) => {
  expect(() => ignoreRefusal(error)).toThrow(error)
})
