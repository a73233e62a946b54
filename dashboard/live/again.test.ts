import { expect, test } from 'vitest'
import { SvcError } from '../../client/index.js'
import { ignoreRefusal, untilAnswered } from './again.js'

const timeout = new SvcError('TIMEOUT', 'late')
const refused = (status: number) => new SvcError('UNAVAILABLE', 'no', [], { status })

test.each<[string, unknown, Error | null, number | false]>([
  ['with an answer', 'data', null, false],
  ['whose first fetch timed out', undefined, timeout, false],
  ['whose refetch timed out', 'data', timeout, 1_000],
  ['whose first fetch found no service', undefined, new SvcError('NETWORK', 'gone'), 1_000],
  ['that a starting service refused', undefined, refused(503), 1_000],
  ['for a missing record', undefined, refused(404), false],
  ['with a bug of the page', undefined, new TypeError('x'), false],
])('a query %s: data %j, error %s, refetched after %s ms', (_, data, error, milliseconds) => {
  expect(untilAnswered({ state: { data, error } })).toBe(milliseconds)
})

test.each([403, 404])('turns %i into undefined', (status) => {
  expect(ignoreRefusal(refused(status))).toBeUndefined()
})

test.each([refused(503), new TypeError('x')])('rethrows %s', (error) => {
  expect(() => ignoreRefusal(error)).toThrow(error)
})
