/** `npm run full`: what is too slow for `npm test`, one file at a time. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'test/full/**/*.test.ts',
      // Those of `npm test` that are longer here.
      'test/cli/{json,hostile}.test.ts',
      'test/emulator/realtime/realtime-reconnects.test.ts',
    ],
    globalSetup: ['test/fixtures/databases/share-server.ts'],
    env: { SVC_TEST_FULL: '1' },
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
