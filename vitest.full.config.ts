/** `npm run full`: what is too slow for `npm test`, one file at a time. */
import { defineConfig } from 'vitest/config'
import { leftOut } from './test/fixtures/balanced/left-out.js'

export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'full',
          include: [
            'test/full/**/*.test.ts',
            // Those of `npm test` that are longer here.
            'test/cli/{json,hostile,parity,parity-deployed}.test.ts',
            'test/client/offline/simulation.test.ts',
            'test/emulator/kills.test.ts',
            'test/emulator/realtime/realtime-reconnects.test.ts',
            'test/serve/contended.test.ts',
          ],
          globalSetup: [
            'test/fixtures/databases/share-server.ts',
            'test/fixtures/share-chromium.ts',
            'test/fixtures/share-emulators.ts',
          ],
          env: { SVC_TEST_FULL: '1' },
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          // Two `svc serve` behind HAProxy.
          name: 'balanced',
          include: ['test/conformance/**/*.test.ts'],
          exclude: leftOut.flatMap(({ file, test }) => (test === undefined ? [`test/conformance/${file}`] : [])),
          globalSetup: ['test/fixtures/balanced/global-setup.ts', 'test/fixtures/share-chromium.ts'],
          setupFiles: ['test/fixtures/balanced/leave-out.ts'],
          isolate: false,
        },
      },
    ],
  },
})
