import { expect, it } from 'vitest'
import { formatHar } from './har.js'

const body = { type: null, bytes: 0, text: null, isCut: false, isMasked: false, leftOut: 'empty' as const }
const timing = { receiving: 1, queue: 2, database: 3, hashing: 4, writing: 5, own: 6 }

function aRecord(path: string, at: string) {
  const head = { state: 'answered' as const, method: 'GET', route: null, project: null, dialect: 'a', status: null }
  const rest = { code: null, milliseconds: 21, bytesIn: 0, bytesOut: 0, replayOf: null, address: '', origin: null }
  const caller = { kind: 'nobody' as const, key: null, user: null }
  const shown = { statements: [], statementCount: 0, error: null, reason: null, replayable: { is: true, why: null } }
  const both = { request: { headers: {}, body }, answer: { headers: {}, body } }
  return { id: path, at, path, caller, timing, ...head, ...rest, ...shown, ...both }
}

it('takes any path that a request may have, and puts the oldest first', () => {
  const paths = ['/b?x=1&x=2', '*', 'http://elsewhere.example/a', '//c', '/%zz']
  const records = paths.map((path, at) => aRecord(path, `2026-01-01T00:00:0${5 - at}.000Z`))

  const { entries } = formatHar(records, 'http://127.0.0.1:4500', '1.0.0').log

  expect(entries.map(({ comment, request }) => [comment, request.url])).toEqual([
    ['/%zz', 'http://127.0.0.1:4500/%zz'],
    ['//c', 'http://127.0.0.1:4500//c'],
    ['http://elsewhere.example/a', 'http://elsewhere.example/a'],
    ['*', 'http://127.0.0.1:4500/'],
    ['/b?x=1&x=2', 'http://127.0.0.1:4500/b?x=1&x=2'],
  ])
  expect(entries.at(-1)?.request.queryString).toEqual([
    { name: 'x', value: '1' },
    { name: 'x', value: '2' },
  ])
  expect(entries[0]).toMatchObject({ time: 21, timings: { send: 1, wait: 15, receive: 5 }, response: { status: 0 } })
})
