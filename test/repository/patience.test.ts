/** Tests wait long enough for a busy machine. `expect.poll` has its limit from the configuration; `vi.waitFor` gives up after a second. */
import { expect, test } from 'vitest'
import { filesOf, read } from '../fixtures/packages/imports.js'

/** A call to its end: the lines that are indented more, and the one that closes it. */
const call = /^( *).*\bvi\.wait(For|Until)\(.*(\n\1 .*)*(\n\1[)}\]].*)?/gm

test('every vi.waitFor and vi.waitUntil waits patiently', () => {
  const calls = filesOf('client', 'emulator', 'seeds', 'types', 'cli', 'dashboard', 'test').flatMap((file) =>
    [...read(file).matchAll(call)].map(([text]) => ({ file, text })),
  )

  expect(calls.length).toBeGreaterThan(100)
  expect(calls.filter(({ text }) => !/\bpatiently\b/.test(text))).toEqual([])
})
