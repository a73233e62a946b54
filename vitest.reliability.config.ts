/** `npm run reliability`: the long forms of `test/reliability` and `test/full`, one file at a time. Each prints its result. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/reliability/**/*.test.ts', 'test/full/{crashes,faults}/**/*.test.ts'],
    fileParallelism: false,
    globalSetup: ['test/fixtures/databases/share-server.ts'],
    env: { SVC_RELIABILITY: 'long' },
    testTimeout: 14_400_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
  },
})
