import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{client,emulator,cli}/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/fixtures/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
