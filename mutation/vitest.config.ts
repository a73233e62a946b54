/** The tests of the group that `SVC_MUTATION_GROUP` names, with the service in the thread of the tests: there is where the mutants are. */
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { groups } from './groups.js'
import { keptWorker } from './kept-worker.js'

const { tests: all = [], needsService = false } = groups[process.env.SVC_MUTATION_GROUP ?? ''] ?? {}
/** `SVC_MUTATION_TESTS` names some of them: fewer kills, and each certain, where all take too long. */
const tests = process.env.SVC_MUTATION_TESTS?.split(',') ?? all

/** As the group has them: a mutant is dead at the first test that fails. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => tests.findIndex((path) => moduleId.endsWith(path))
    return files.toSorted((one, other) => placeOf(one) - placeOf(other))
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
