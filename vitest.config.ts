import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { globSync } from 'tinyglobby'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { keepTemporaryFilesInMemory } from './test/fixtures/temporary-folder.js'

keepTemporaryFilesInMemory()

const common = {
  // Tests wait for processes, and a test may start twenty of them. What takes longer than this hangs, also on a busy machine.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // More than one wait may take.
  expect: { poll: { timeout: 120_000, interval: 10 } },
}

/** Tests of the client that need a running service, too. The engine decides nothing in a browser. */
const liveTest = 'test/client/live.test.ts'
const browserTest = 'test/client/browser.test.ts'

/**
 * The conformance suite, once for each engine that keeps the data. `npm test` asks PostgreSQL in one dialect, and
 * `npm run test:postgres` in all.
 */
function conformance(
  engine: string,
  clientTests: string[],
  env: Record<string, string> = {},
): TestProjectConfiguration {
  return {
    test: {
      ...common,
      name: engine,
      include: ['test/conformance/**/*.test.ts', ...clientTests],
      globalSetup: ['test/fixtures/global-setup.ts'],
      // Tests share nothing but the service, and each has a project of its own there.
      isolate: false,
      env,
    },
  }
}

const unitTests = globSync(['{client,emulator,seeds,types,cli,dashboard}/**/*.test.ts', 'test/**/*.test.ts'], {
  ignore: [
    'test/conformance/**',
    'test/full/**',
    'test/reliability/long/**',
    liveTest,
    browserTest,
    'node_modules/**',
    'dist/**',
  ],
})

/** Changes of the process that a test file leaves to the files after it: such a file runs in a process of its own. */
const processChanges = [
  /\bvi\.(mock|doMock|stub|spyOn|useFakeTimers|setSystemTime)/,
  /\bprocess\.(chdir|exitCode =|env\.\w+ =|env\[\S+\] =|env =|on\(|stdout\.write =)|\bdelete process\.env/,
  /globalThis\.\w+ =|Object\.assign\((globalThis|process|axes)/,
  // They replace `process.env` and the streams, or bring a document for React.
  /from '\S*(fixtures\/dom|\/in-process)\.js'|react/,
  // They measure the process.
  /\bprocess\.memoryUsage|\bgetActiveResources|\bgetHeapSnapshot/,
]

const alone = unitTests.filter((file) => {
  const text = readFileSync(file, 'utf8')
  return processChanges.some((change) => change.test(text))
})

/** Loading the emulator takes longer than most tests, so test files share processes unless they change them. */
function units(name: string, include: string[], isolate: boolean): TestProjectConfiguration {
  return { test: { ...common, name, include, isolate } }
}

export default defineConfig(({ mode }) => ({
  test: {
    // Tests wait for processes and timers: one file more than there are processors keeps these busy.
    maxWorkers: availableParallelism() + 1,
    // Once for the run, since no project inherits it.
    globalSetup: [
      'test/fixtures/databases/share-server.ts',
      'test/fixtures/share-chromium.ts',
      'test/fixtures/share-emulators.ts',
    ],
    projects: [
      units(
        'units',
        unitTests.filter((file) => !alone.includes(file)),
        false,
      ),
      units('alone', alone, true),
      conformance('pglite', [liveTest, browserTest]),
      conformance('postgres', [liveTest], mode === 'postgres' ? {} : { SVC_TEST_ONE_DIALECT: '1' }),
    ],
  },
}))
