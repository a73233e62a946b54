/**
 * Runs the tests of the group in `SVC_MUTATION_GROUP`, with the service in the test thread, because the mutants are
 * active there.
 */
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { groups } from './groups.js'
import { keptWorker } from './kept-worker.js'

const { tests: all = [], needsService = false } = groups[process.env.SVC_MUTATION_GROUP ?? ''] ?? {}
/** Runs only the tests in `SVC_MUTATION_TESTS`, if all of them take too long. */
const tests = process.env.SVC_MUTATION_TESTS?.split(',') ?? all

/** Keeps the group's order, because a mutant dies at the first failing test. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const findPosition = ({ moduleId }: TestSpecification) => tests.findIndex((path) => moduleId.endsWith(path))
    return files.toSorted((one, other) => findPosition(one) - findPosition(other))
  }
}

export default defineConfig({
  plugins: [keptWorker],
  test: {
    include: tests,
    globalSetup: ['mutation/provide-service.ts'],
    setupFiles: needsService ? ['mutation/service-in-process.ts'] : [],
    isolate: false,
    sequence: { sequencer: InOrder },
    env: { SVC_TEST_ENGINES: 'pglite' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 10 } },
  },
})
