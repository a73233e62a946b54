import { existsSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { SvcError } from '../../client/protocol/model/errors.js'
import { misuse, noFile } from '../base/failure.js'
import { expandPaths } from '../glob.js'
import { importInput } from '../imports/import-input.js'
import type { Refusal } from '../imports/send-chunk.js'
import { noState } from '../imports/state.js'
import { openInput } from '../records/input.js'
import { type Planted, type PlantOptions, plant } from './plant.js'
import { badSeed, isSeedFile, readJsonFile, readSeedFile } from './seed-file.js'
import { takeBack } from './take-back.js'

export type SeedOptions = Omit<PlantOptions, 'file'>

const usualPlaces = ['seed.json', 'seeds/*.json', 'seeds/*.ndjson', 'seeds/*.csv']

/** The files that were named, or those in the usual places. */
export async function findSeeds(words: readonly string[]): Promise<string[]> {
  if (words.length > 0) {
    const named = await expandPaths(words)
    for (const file of named) if (!existsSync(file)) throw noFile(file)
    return named
  }
  const found = await Promise.all(usualPlaces.map((place) => expandPaths([place]).catch(() => [])))
  const files = found.flat().filter((file) => existsSync(file))
  if (files.length > 0) return files
  throw misuse('There is nothing to seed.', 'Name files, or put them into seed.json or seeds/: svc seed --help')
}

/** Plants one file: a seed file with collections, or the documents of the collection it is named after. */
export async function seedInput(file: string, options: SeedOptions): Promise<Planted[]> {
  if (extname(file) === '.json') {
    const { text, content } = readJsonFile(file)
    if (isSeedFile(content)) return plant(readSeedFile(file, text, content), { ...options, file })
  }
  return [await seedCollection(file, options)]
}

async function seedCollection(file: string, { client, isUpsert, key }: SeedOptions): Promise<Planted> {
  const name = basename(file, extname(file))
  await client.collections.create({ name }).catch((error) => {
    if (!(error instanceof SvcError) || error.code !== 'COLLECTION_EXISTS') throw error
  })
  if (isUpsert && key === undefined) {
    throw misuse(`--upsert needs to know the documents of "${file}".`, 'Name their field: --by email')
  }
  const before = await client.collection(name).count()
  if (before > 0 && !isUpsert) return { collection: name, created: 0, updated: 0, kept: before }

  const refused: Refusal[] = []
  const created: string[] = []
  const whole = importInput(await openInput(file), noState, {
    client,
    collection: name,
    upsertBy: isUpsert ? key : undefined,
    refusesKeyless: true,
    read: { types: {} },
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onCreated: (ids) => created.push(...ids),
    onRefused: (refusals) => refused.push(...refusals),
  }).then((summary) => {
    requireAllTaken(file, refused)
    return summary
  })
  const { accepted } = await whole.catch(async (error) => {
    await takeBack(client, name, created)
    throw error
  })
  const after = await client.collection(name).count()
  return { collection: name, created: after - before, updated: accepted - (after - before), kept: 0 }
}

/** @throws {CliFailure} with file and line of the first row that was refused */
function requireAllTaken(file: string, refused: readonly Refusal[]): void {
  const [first] = refused
  if (!first) return
  const more = refused.length > 1 ? `, and ${refused.length - 1} more rows are refused` : ''
  throw badSeed(file, first.line, `${first.reason.replace(/\.$/, '')}${more}`)
}
