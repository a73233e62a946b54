/** Seeds an emulator's project. Shared by the command line and the test helper. */
import { existsSync } from 'node:fs'
import { type SeedMode, seedModes } from '../client/protocol/model/seed/steps.js'
import type { SeedContent } from './content.js'
import { misused, noFile } from './failure.js'
import { readSeedFile, type SeedFile } from './read-seed.js'
import { expandPaths } from './records/expand-paths.js'
import { rowSteps } from './rows.js'
import type { ModuleOptions } from './run-module.js'
import { type ReadSeed, type SeedTarget, type SentSeed, sendSeed } from './send.js'
import { createSteps, type KnownIds } from './steps.js'

export interface SeedOptions {
  readonly mode?: SeedMode
  /** The field that identifies a document, unless the file names one. */
  readonly key?: string | undefined
  readonly knownIds?: KnownIds
  /** Earlier content of the file. Unchanged parts are not written again. */
  readonly before?: SeedContent | undefined
  /** Runs seeds that are code. Without it, they are refused. */
  readonly modules?: ModuleOptions | undefined
}

const usualEndings = ['json', 'ndjson', 'csv', 'ts', 'mts', 'js', 'mjs']
const usualPlaces = ['seed.json', 'seed.ts', 'seed.js', ...usualEndings.map((ending) => `seeds/*.${ending}`)]

/**
 * Returns the given files, or those in the default places.
 *
 * @throws {InputFailure} if there are none
 */
export async function findSeeds(words: readonly string[]): Promise<string[]> {
  if (words.length > 0) {
    const named = await expandPaths(words, 'name')
    for (const file of named) if (!existsSync(file)) throw noFile(file)
    return named
  }
  const found = await Promise.all(usualPlaces.map((place) => expandPaths([place], 'name').catch(() => [])))
  const files = found.flat().filter((file) => existsSync(file))
  if (files.length > 0) return files
  throw misused('No seed files found.', 'Pass files, or create seed.json or seeds/. See svc seed --help')
}

/**
 * Seeds the project from one file, atomically.
 *
 * @throws {InputFailure} with the position of the problem
 */
export async function applySeedFile(target: SeedTarget, file: string, options: SeedOptions = {}): Promise<SentSeed> {
  const { mode = seedModes[0] } = options
  return sendSeed(target, await prepareSeed(file, await readSeedFile(file, options.modules), options), mode)
}

/** Converts a file to the steps to send. */
export async function prepareSeed(file: string, read: SeedFile, options: SeedOptions): Promise<ReadSeed> {
  const { mode, key, before, knownIds = () => new Map() } = options
  if ('content' in read)
    return { steps: createSteps(read.content, { knownIds, key, before }), files: read.content.files }
  requireRowKey(file, { mode, key })
  return { steps: await rowSteps(file, { text: read.text, key }), files: [] }
}

/**
 * Requires a key for an upsert, because a file of documents cannot name it.
 *
 * @throws {InputFailure} without a key
 */
export function requireRowKey(file: string, { mode, key }: Pick<SeedOptions, 'mode' | 'key'>): void {
  if (mode !== 'upsert' || key !== undefined) return
  throw misused(`--upsert needs the field that identifies a document of "${file}".`, 'Pass it, for example --by email')
}
