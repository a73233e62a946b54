import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openExample } from '../fixtures/packages/examples.js'
import { root } from '../fixtures/packages/imports.js'
import { tool } from '../fixtures/packages/packages.js'

// A blog's tests as a user writes them with the helper: login with a second factor, a mail, an upload, a live list, a login
// that fails. test/full runs them in Playwright, which takes longer.

test.each([
  ['vitest', ['vitest'], [tool('vitest/vitest.mjs'), 'run'], /Tests +5 passed/],
  ['vitest', ['vitest', 'happy-dom'], [tool('vitest/vitest.mjs'), 'run', '--environment=happy-dom'], /Tests +5 passed/],
  ['jest', ['jest'], [tool('jest/bin/jest.js')], /Tests: +5 passed/],
  ['node-test', [], ['--test'], /pass 5\n/],
] as const)("a blog's tests pass in %s, with %j", async (name, packages, words, said) => {
  const example = await openExample(name, packages)

  const { all, exitCode } = await example.run(...words)

  await example.remove()
  expect(exitCode, all).toBe(0)
  expect(all).toMatch(said)
})

test('the code of the testing guide passes in vitest', async () => {
  const guide = await readFile(join(root, 'docs/guides/testing.md'), 'utf8')
  const blocks = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text = '']) => text)
  const at = blocks.findIndex((text) => text.includes("from 'vitest'"))
  const body = blocks
    .slice(0, at)
    .join('')
    .replaceAll(/^import .*$/gm, '')
  const imports =
    "import { test } from 'vitest'\nimport { createClient } from 'svc-toolkit'\nimport { permissionCoverage, testProject } from 'svc-toolkit/testing'\n"
  const example = await openExample('vitest', ['vitest'])
  await example.write('steps.test.js', `${imports}test('step by step', async () => {\n${body}})\n`)
  // The guide waits as long as a developer would.
  await example.write('guide.test.js', (blocks[at] ?? '').replace('5_000', '60_000'))

  const { all, exitCode } = await example.run(tool('vitest/vitest.mjs'), 'run', 'steps', 'guide')

  await example.remove()
  expect(exitCode, all).toBe(0)
  expect(all).toMatch(/Tests +5 passed/)
})

test('a login through the provider lets the process end', async () => {
  const example = await openExample('node-test', [])
  await example.write(
    'login.js',
    `import { createClient } from 'svc-toolkit'
import { startTestEmulator } from 'svc-toolkit/testing'
const { url, apiKey, idp } = await startTestEmulator()
const { auth } = createClient({ url, apiKey })
await auth.finishLogin(await idp.logIn(await auth.startLogin(), 'grace'))
setTimeout(() => process.exit(1), 20_000).unref()
`,
  )

  const { all, exitCode } = await example.run('login.js')

  await example.remove()
  expect(exitCode, all).toBe(0)
})
