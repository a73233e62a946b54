import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('every requirement has a test that carries its id', async () => {
  const script = fileURLToPath(new URL('../../scripts/requirements.js', import.meta.url))

  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script])

  expect(stderr).toBe('')
  expect(stdout).toContain('0 without a test')
})
