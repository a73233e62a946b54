/** `npm run full`: what is too slow for `npm test`, one file at a time. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/full/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
