import { expect, test } from 'vitest'
import { openExample } from '../fixtures/packages/examples.js'
import { tool } from '../fixtures/packages/packages.js'

test("a blog's tests pass in Playwright", async () => {
  const example = await openExample('playwright', ['@playwright/test'])

  const { all, exitCode } = await example.run(tool('@playwright/test/cli.js'), 'test')

  await example.remove()
  expect(exitCode, all).toBe(0)
  expect(all).toMatch(/5 passed/)
})
