import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { statuses } from '../../client/protocol/model/errors.js'
import { eventGroups } from '../../client/protocol/model/events/emulator-event.js'
import { mailTransports } from '../../client/protocol/model/mail-transports.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The numbered statements of the contract that have tests of their own, beside the rows. */
const statements = `1 2.1 2.2 2.3 2.4 2.5 2.6 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8
  5.1 5.2 5.3 5.4 6.1 6.2 6.3 6.4 6.5 6.6 6.7 6.8 6.9 6.10 6.11 6.12 7.1 7.2 7.3 7.4 7.5 7.6 8.1 8.2 8.3 8.4
  9.1 9.2 9.3 9.4 9.5 9.6 10.1 10.2 10.3 10.4 10.5 10.6 10.7 10.8 10.9
  10.10 10.11 10.12 10.13 12.1 12.2 12.3 12.4 12.5`.split(/\s+/)

test('every requirement has a test that carries its id', () => {
  const page = readFileSync(join(root, 'docs/requirements.md'), 'utf8')
  const rows = [...page.matchAll(/^\| ([A-Z]{3}-\d\d) +\|/gm)].map(([, id = '']) => id)
  const tested = idsOfTests()

  const ids = [...rows, ...statements.map((number) => `contract ${number}`)]

  expect(rows.length).toBeGreaterThan(100)
  expect(ids.filter((id) => !tested.has(id))).toEqual([])
})

test.each([
  ['error code of the service', Object.keys(statuses)],
  ['kind of event', Object.entries(eventGroups).flatMap(([group, kinds]) => kinds.map((kind) => `${group}.${kind}`))],
])('every %s stands in a test', (_what, names) => {
  const text = readTests().join('\n')

  expect(names.filter((name) => !text.includes(`'${name}'`))).toEqual([])
})

test.each(Object.keys(mailTransports))('the mail transport %s runs the cases of all transports', (name) => {
  const text = readFileSync(join(root, `test/adapters/mail.${name}.test.ts`), 'utf8')

  expect(text).toContain('mailTransportCases(')
})

/** A text in a test file that begins with ids is a title, or the row of a table that becomes one. */
function idsOfTests(): ReadonlySet<string> {
  const titled = /(['"`])((?:(?:[A-Z]{3}-\d\d|contract [\d.]+) )+).+?\1/g
  const texts = readTests().flatMap((text) => [...text.matchAll(titled)])
  return new Set(texts.flatMap(([, , ids = '']) => ids.match(/[A-Z]{3}-\d\d|contract [\d.]+/g) ?? []))
}

function readTests(): readonly string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:test|cases)\.ts$/.test(file))
    .map((file) => readFileSync(join(root, 'test', file), 'utf8'))
}
