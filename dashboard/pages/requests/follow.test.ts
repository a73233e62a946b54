import { expect, test } from 'vitest'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { findOpen, mergeRequests } from './follow.js'

/** Parses a list of requests, newest first, such as "e:open d c". */
function requests(text: string): RequestSummary[] {
  const parts = text === '' ? [] : text.split(' ')
  return parts.map((part) => {
    const [id, state = 'answered'] = part.split(':')
    return { id, state } as RequestSummary
  })
}

const formatRequests = (list: readonly RequestSummary[]) =>
  list.map(({ id, state }) => (state === 'answered' ? id : `${id}:${state}`)).join(' ')

test('asks again for open requests, however far apart, up to a limit', () => {
  expect(findOpen(requests('e d:open c b:open a'))).toEqual(['d', 'b'])
  expect(findOpen(requests('c b a'))).toEqual([])
  expect(findOpen(requests('e d:open c b:open a'), 'd')).toEqual(['b', 'd'])
  expect(findOpen(requests(Array.from({ length: 900 }, (_, at) => `${at}:open`).join(' ')))).toHaveLength(50)
})

test.each([
  ['b:open a', '', 'b', 'b a'],
  ['c b:open a', 'e d', 'b:open', 'e d c b:open a'],
  ['b:open a', 'c b', '', 'c b a'],
  // Requests that were not asked for stay unchanged, and those not shown stay hidden.
  ['d:open b:open a', 'e', 'd c b', 'e d b a'],
  // A request that is no longer stored has ended.
  ['d:open b:open a', '', 'd:open', 'd:open b a'],
])('"%s", then "%s" and again "%s": "%s"', (shown, newer, again, after) => {
  const before = requests(shown)
  const answered = { asked: findOpen(before), found: requests(again) }

  expect(formatRequests(mergeRequests(before, requests(newer), answered))).toBe(after)
})
