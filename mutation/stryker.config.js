/** Configures `npm run mutation` for the group in `SVC_MUTATION_GROUP`. */
import { fileURLToPath } from 'node:url'
import { groups } from './groups.js'

const name = process.env.SVC_MUTATION_GROUP ?? ''
const group = groups[name]
if (!group)
  throw new Error(`Unknown group "${name}" in SVC_MUTATION_GROUP. Use one of ${Object.keys(groups).join(', ')}.`)

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

export default {
  plugins: [here('node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  testRunner: 'vitest',
  // Mutated code is reached over the wire, not by an import.
  vitest: { configFile: 'mutation/vitest.config.ts', related: false },
  mutate: process.env.SVC_MUTATION_ONLY?.split(',') ?? group.sources,
  coverageAnalysis: 'perTest',
  // Code that runs once at import would need a new process per mutant.
  ignoreStatic: true,
  // Skips message texts. Tests assert on codes, statuses, and positions.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['dist', 'dashboard', 'docs', 'bench', 'templates', 'test/full', 'test/dashboard'],
  tempDirName: 'mutation/.stryker',
  incremental: true,
  incrementalFile: `mutation/.stryker-reports/${name}.json`,
  reporters: ['clear-text', 'progress-append-only'],
  thresholds: { break: 85 },
  clearTextReporter: { reportTests: false, allowColor: false, skipFull: true },
  concurrency: 2,
  timeoutMS: 30_000,
  dryRunTimeoutMinutes: 20,
  tsconfigFile: 'mutation/none.json',
  allowEmpty: true,
}
