import { existsSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { misuse, noFile } from '../base/failure.js'
import { createIfMissing } from '../collections/create-if-missing.js'
import { type ImportSummary, importInput } from '../imports/import-input.js'
import type { RefusedRow } from '../imports/send-chunk.js'
import { noState } from '../imports/state.js'
import { expandPaths } from '../records/expand-paths.js'
import { openInput } from '../records/input.js'
import { count } from '../terminal/print.js'
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

/** A collection of a seed that is done, and of which file it is. */
export interface Seeded extends Planted {
  readonly file: string
}

/** Plants one file after the other, and yields each collection once it is done, until the signal says stop. */
export async function* seedFiles(files: readonly string[], options: SeedOptions): AsyncGenerator<Seeded> {
  for (const file of files) {
    for await (const planted of seedFile(file, options)) yield { file, ...planted }
    if (options.signal.aborted) return
  }
}

/** Plants a seed file with collections, or the documents of the collection that the file is named after. */
async function* seedFile(file: string, options: SeedOptions): AsyncGenerator<Planted> {
  if (extname(file) === '.json') {
    const read = await readJsonFile(file)
    if (isSeedFile(read.content)) return yield* plant(readSeedFile(read, read.content), { ...options, file })
    return yield await seedCollection(file, read.plainText, options)
  }
  yield await seedCollection(file, undefined, options)
}

/** Documents of one collection; `text` is what the file holds, where it is not to be read as it is. */
async function seedCollection(
  file: string,
  text: string | undefined,
  { client, isUpsert, key, signal }: SeedOptions,
): Promise<Planted> {
  const name = basename(file, extname(file))
  await createIfMissing(client, { name })
  if (isUpsert && key === undefined) {
    throw misuse(`--upsert needs the field that identifies a document of "${file}".`, 'Name it: --by email')
  }
  const before = await client.collection(name).count()
  if (before > 0 && !isUpsert) return { collection: name, created: 0, updated: 0, kept: before, isWhole: true }

  const created: string[] = []
  const steps = importInput({ ...(await openInput(file)), text }, noState, {
    client,
    collection: name,
    upsertBy: isUpsert ? key : undefined,
    refusesKeyless: true,
    read: { types: {} },
    signal,
    onCreated: (ids) => created.push(...ids),
  })
  try {
    const { accepted, isWhole } = await withoutRefusals(file, steps)
    if (!isWhole) await takeBack(client, name, created)
    const after = await client.collection(name).count()
    return {
      collection: name,
      created: after - before,
      updated: isUpsert ? accepted - (after - before) : 0,
      kept: 0,
      isWhole,
    }
  } catch (error) {
    await takeBack(client, name, created)
    throw error
  }
}

/** Runs an import to its end. @throws {CliFailure} with file and line of the first row that was refused */
async function withoutRefusals(file: string, steps: ReturnType<typeof importInput>): Promise<ImportSummary> {
  const refused: RefusedRow[] = []
  let step = await steps.next()
  for (; !step.done; step = await steps.next()) refused.push(...step.value.refused)
  const [first] = refused
  if (!first) return step.value
  const more = refused.length > 1 ? `, and ${refused.length - 1} more rows are refused` : ''
  throw badSeed(file, first.line, `${first.reason.replace(/\.$/, '')}${more}`)
}

/** A collection that was seeded, in a word or two. */
export function seededNote({ collection, created, updated, isWhole }: Planted): string {
  const counts = [created > 0 ? `${count(created)} created` : '', updated > 0 ? `${count(updated)} updated` : '']
  const said = counts.filter((one) => one !== '').join(', ') || 'nothing to do'
  return `"${collection}"${isWhole ? '' : ', in part'} (${said})`
}
