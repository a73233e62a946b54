/** Seeds a project of an emulator: what the command line and the test helper share. */
import { existsSync } from 'node:fs'
import { type SeedMode, seedModes } from '../client/protocol/model/seed/steps.js'
import type { SeedContent } from './content.js'
import { misused, noFile } from './failure.js'
import { readSeedFile, type SeedFile } from './read-seed.js'
import { expandPaths } from './records/expand-paths.js'
import { rowSteps } from './rows.js'
import type { ModuleOptions } from './run-module.js'
import { type ReadSeed, type SeedTarget, type SentSeed, sendSeed } from './send.js'
import { type KnownIds, stepsOf } from './steps.js'

export interface SeedOptions {
  readonly mode?: SeedMode
  /** The field that identifies a document, where the file does not say. */
  readonly key?: string | undefined
  readonly idsOf?: KnownIds
  /** What the file said before: of that, nothing is written again. */
  readonly before?: SeedContent | undefined
  /** How seeds that are code are run; left out, they are refused. */
  readonly modules?: ModuleOptions | undefined
}

const usualEndings = ['json', 'ndjson', 'csv', 'ts', 'mts', 'js', 'mjs']
const usualPlaces = ['seed.json', 'seed.ts', 'seed.js', ...usualEndings.map((ending) => `seeds/*.${ending}`)]

/** The files that were named, or those in the usual places. @throws {InputFailure} where there is none */
export async function findSeeds(words: readonly string[]): Promise<string[]> {
  if (words.length > 0) {
    const named = await expandPaths(words, 'name')
    for (const file of named) if (!existsSync(file)) throw noFile(file)
    return named
  }
  const found = await Promise.all(usualPlaces.map((place) => expandPaths([place], 'name').catch(() => [])))
  const files = found.flat().filter((file) => existsSync(file))
  if (files.length > 0) return files
  throw misused('There is nothing to seed.', 'Name files, or put them into seed.json or seeds/: svc seed --help')
}

/** Seeds the project from one file, whole or not at all. @throws {InputFailure} with the place of what is wrong in it */
export async function applySeedFile(target: SeedTarget, file: string, options: SeedOptions = {}): Promise<SentSeed> {
  const { mode = seedModes[0] } = options
  return sendSeed(target, await prepareSeed(file, await readSeedFile(file, options.modules), options), mode)
}

/** What is sent of a file that has been read. */
export async function prepareSeed(file: string, read: SeedFile, options: SeedOptions): Promise<ReadSeed> {
  const { mode, key, before, idsOf = () => new Map() } = options
  if ('content' in read) return { steps: stepsOf(read.content, { idsOf, key, before }), files: read.content.files }
  requireRowKey(file, { mode, key })
  return { steps: await rowSteps(file, { text: read.text, key }), files: [] }
}

/** A file of documents of one collection cannot name the field that identifies them. @throws {InputFailure} */
export function requireRowKey(file: string, { mode, key }: Pick<SeedOptions, 'mode' | 'key'>): void {
  if (mode !== 'upsert' || key !== undefined) return
  throw misused(`--upsert needs the field that identifies a document of "${file}".`, 'Name it: --by email')
}
