import { expect, test } from 'vitest'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { joined, rangeOfOpen } from './follow.js'

/** Of each what is looked at: "e:open d c" is a list of three, the newest first. */
function requests(words: string): RequestSummary[] {
  const parts = words === '' ? [] : words.split(' ')
  return parts.map((part) => {
    const [id, state = 'answered'] = part.split(':')
    return { id, state } as RequestSummary
  })
}

const wordsOf = (list: readonly RequestSummary[]) =>
  list.map(({ id, state }) => (state === 'answered' ? id : `${id}:${state}`)).join(' ')

test.each([
  ['', undefined],
  ['c b a', undefined],
  ['e d:open c b:open a', { before: 'e', after: 'a' }],
  ['c:open b a', { after: 'b' }],
  ['c b a:open', { before: 'b' }],
  ['a:open', {}],
])('the open ones of "%s" are asked for again between %j', (shown, range) => {
  expect(rangeOfOpen(requests(shown))).toEqual(range)
})

test.each([
  ['b:open a', '', 'b', 'b a'],
  ['c b:open a', 'e d', 'b:open', 'e d c b:open a'],
  ['b:open a', 'c b', '', 'c b a'],
  // What came between two open ones is there already, and what is not shown stays away.
  ['d:open b:open a', 'e', 'd c b', 'e d b a'],
])('"%s", then "%s" and again "%s": "%s"', (shown, newer, again, after) => {
  expect(wordsOf(joined(requests(shown), requests(newer), requests(again)))).toBe(after)
})
