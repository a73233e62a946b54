/** `npm run full`: what is too slow for `npm test`, one file at a time. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Those of `npm test` that have more rows here.
    include: ['test/full/**/*.test.ts', 'test/cli/{json,hostile}.test.ts'],
    env: { SVC_TEST_FULL: '1' },
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
