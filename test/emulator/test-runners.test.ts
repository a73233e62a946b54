import { expect, test } from 'vitest'
import { openExample } from '../fixtures/packages/examples.js'
import { tool } from '../fixtures/packages/packages.js'

// A blog's tests as a user writes them with the helper: login with a second factor, a mail, an upload, a live list, a login
// that fails. test/full runs them in Playwright, which takes longer.

test.each([
  ['vitest', ['vitest'], [tool('vitest/vitest.mjs'), 'run'], /Tests +5 passed/],
  ['jest', ['jest'], [tool('jest/bin/jest.js')], /Tests: +5 passed/],
  ['node-test', [], ['--test'], /pass 5\n/],
] as const)("a blog's tests pass in %s", async (name, packages, words, said) => {
  const example = await openExample(name, packages)

  const { all, exitCode } = await example.run(...words)

  await example.remove()
  expect(exitCode, all).toBe(0)
  expect(all).toMatch(said)
})
