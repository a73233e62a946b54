/** `npm run mutation`: one run of Stryker, for the group that `SVC_MUTATION_GROUP` names. */
import { fileURLToPath } from 'node:url'
import { groups } from './groups.js'

const name = process.env.SVC_MUTATION_GROUP ?? ''
const group = groups[name]
if (!group) throw new Error(`SVC_MUTATION_GROUP names no group: "${name}" (one of ${Object.keys(groups).join(', ')}).`)

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

export default {
  plugins: [here('node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  testRunner: 'vitest',
  // What a mutant changes is reached over the wire, not by an import.
  vitest: { configFile: 'mutation/vitest.config.ts', related: false },
  mutate: process.env.SVC_MUTATION_ONLY?.split(',') ?? group.sources,
  coverageAnalysis: 'perTest',
  // What runs once, when a module is loaded, would need a process of its own for each mutant.
  ignoreStatic: true,
  // Words of messages are for people; what is decided is in codes, statuses and places.
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
