import { expect, test } from 'vitest'
import type { RequestSummary } from '../../../client/protocol/control/requests.js'
import { joined, openOnes } from './follow.js'

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

test('of a list the open ones are asked for again, however many are between them, and a handful at most', () => {
  expect(openOnes(requests('e d:open c b:open a'))).toEqual(['d', 'b'])
  expect(openOnes(requests('c b a'))).toEqual([])
  expect(openOnes(requests('e d:open c b:open a'), 'd')).toEqual(['b', 'd'])
  expect(openOnes(requests(Array.from({ length: 900 }, (_, at) => `${at}:open`).join(' ')))).toHaveLength(50)
})

test.each([
  ['b:open a', '', 'b', 'b a'],
  ['c b:open a', 'e d', 'b:open', 'e d c b:open a'],
  ['b:open a', 'c b', '', 'c b a'],
  // What was not asked for stays as it is shown, and what is not shown stays away.
  ['d:open b:open a', 'e', 'd c b', 'e d b a'],
  // One that is not kept any more has ended.
  ['d:open b:open a', '', 'd:open', 'd:open b a'],
])('"%s", then "%s" and again "%s": "%s"', (shown, newer, again, after) => {
  const before = requests(shown)
  const answered = { asked: openOnes(before), found: requests(again) }

  expect(wordsOf(joined(before, requests(newer), answered))).toBe(after)
})
