import { defineConfig, type TestProjectConfiguration } from 'vitest/config'

/** The conformance suite, once for each engine that keeps the data. */
function conformance(engine: string): TestProjectConfiguration {
  return {
    extends: true,
    test: {
      name: engine,
      include: ['test/conformance/**/*.test.ts', 'test/client/live.test.ts'],
      globalSetup: ['test/fixtures/global-setup.ts'],
      // Tests share nothing but the service, and each has a project of its own there.
      isolate: false,
    },
  }
}

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['{client,emulator,cli}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/conformance/**', 'test/client/live.test.ts', 'node_modules/**', 'dist/**'],
        },
      },
      conformance('pglite'),
      conformance('postgres'),
    ],
  },
})
