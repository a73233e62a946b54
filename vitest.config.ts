import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** Tests of the client that need a running service, too. */
const liveTests = ['test/client/live.test.ts', 'test/client/browser.test.ts']

/** The conformance suite, once for each engine that keeps the data. */
function conformance(engine: string): TestProjectConfiguration {
  return {
    extends: true,
    test: {
      name: engine,
      include: ['test/conformance/**/*.test.ts', ...liveTests],
      globalSetup: ['test/fixtures/global-setup.ts'],
      // Tests share nothing but the service, and each has a project of its own there.
      isolate: false,
    },
  }
}

export default defineConfig({
  test: {
    // Tests wait for processes and timers: one file more than there are processors keeps these busy.
    maxWorkers: availableParallelism() + 1,
    // What takes longer than this hangs. It is more than one wait may take, since a test may start twenty processes one after the
    // other, and a machine that is busy with other things takes ten times as long as usual, or more.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          globalSetup: ['test/fixtures/databases/share-server.ts'],
          include: ['{client,emulator,seeds,cli,dashboard}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [
            'test/conformance/**',
            'test/full/**',
            'test/reliability/long/**',
            ...liveTests,
            'node_modules/**',
            'dist/**',
          ],
        },
      },
      conformance('pglite'),
      conformance('postgres'),
    ],
  },
})
