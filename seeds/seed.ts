/** Seeds a project of an emulator, for the command line and the test helper. */
import { existsSync } from 'node:fs'
import { type SeedMode, seedModes } from '../client/protocol/model/seed/steps.js'
import type { SeedContent } from './content.js'
import { misused, noFile } from './failure.js'
import { readSeedFile, type SeedFile } from './read-seed.js'
import { expandPaths } from './records/expand-paths.js'
import { rowSteps } from './rows.js'
import type { ModuleOptions } from './run-module.js'
import { type ReadSeed, type SeedTarget, type SentSeed, sendSeed } from './send.js'
import { buildSteps, type KnownIds } from './steps.js'

export interface SeedOptions {
  readonly mode?: SeedMode
  /** Field that identifies a document, unless the file names one. */
  readonly key?: string | undefined
  readonly knownIds?: KnownIds
  /** Previous content of the file. Unchanged parts are not written again. */
  readonly before?: SeedContent | undefined
  /** Options for seeds that are code. Without them, code is refused. */
  readonly modules?: ModuleOptions | undefined
}

const usualEndings = ['json', 'ndjson', 'csv', 'ts', 'mts', 'js', 'mjs']
const usualPlaces = ['seed.json', 'seed.ts', 'seed.js', ...usualEndings.map((ending) => `seeds/*.${ending}`)]

/** Finds the named files, or those in the default places. @throws {InputFailure} if there are none */
export async function findSeeds(words: readonly string[]): Promise<string[]> {
  if (words.length > 0) {
    const named = await expandPaths(words, 'name')
    for (const file of named) if (!existsSync(file)) throw noFile(file)
    return named
  }
  const found = await Promise.all(usualPlaces.map((place) => expandPaths([place], 'name').catch(() => [])))
  const files = found.flat().filter((file) => existsSync(file))
  if (files.length > 0) return files
  throw misused('No seed files found.', 'Pass files, or create seed.json or a folder seeds/: svc seed --help')
}

/** Seeds the project from one file, all or nothing. @throws {InputFailure} with the position of the error */
export async function applySeedFile(target: SeedTarget, file: string, options: SeedOptions = {}): Promise<SentSeed> {
  const { mode = seedModes[0] } = options
  return sendSeed(target, await prepareSeed(file, await readSeedFile(file, options.modules), options), mode)
}

/** Converts a seed file to the steps to send. */
export async function prepareSeed(file: string, read: SeedFile, options: SeedOptions): Promise<ReadSeed> {
  const { mode, key, before, knownIds = () => new Map() } = options
  if ('content' in read)
    return { steps: buildSteps(read.content, { knownIds, key, before }), files: read.content.files }
  requireRowKey(file, { mode, key })
  return { steps: await rowSteps(file, { text: read.text, key }), files: [] }
}

/** Requires `--by` for a file of rows, which cannot name the key field itself. @throws {InputFailure} */
export function requireRowKey(file: string, { mode, key }: Pick<SeedOptions, 'mode' | 'key'>): void {
  if (mode !== 'upsert' || key !== undefined) return
  throw misused(`--upsert needs the field that identifies a document of "${file}".`, 'Add it, for example: --by email')
}
