import type { SeedMode } from '../../client/protocol/model/seed/steps.js'
import type { SeedContent } from '../../seeds/content.js'
import { isModule, readSeedFile, type SeedFile } from '../../seeds/read-seed.js'
import { rowContent } from '../../seeds/rows.js'
import type { ModuleOptions } from '../../seeds/run-module.js'
import { prepareSeed, requireRowKey } from '../../seeds/seed.js'
import { type SeedTarget, type SentSeed, sendSeed } from '../../seeds/send.js'
import { misuse, undefinedIfMissing } from '../base/failure.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import type { Target } from '../target/target.js'
import { count } from '../terminal/print.js'
import { allowCode } from './allow-code.js'
import type { Planted, PlantOptions } from './plant.js'
import { openPlantedIds } from './planted-ids.js'

export interface SeedOptions extends Omit<PlantOptions, 'file' | 'isUpsert'> {
  readonly mode: SeedMode
  readonly modules: ModuleOptions
  /** The emulator to seed. Undefined for another service. */
  readonly emulator: SeedTarget | undefined
}

/** A seeded collection and its file. */
export interface Seeded extends Planted {
  readonly file: string
}

/** Seeds one file after another and yields each collection when done. Stops when the signal aborts. */
export async function* seedFiles(files: readonly string[], options: SeedOptions): AsyncGenerator<Seeded> {
  await requireSeedable(files, options)
  for (const file of files) {
    for await (const planted of seedFile(file, options)) yield { file, ...planted }
    if (options.signal.aborted) return
  }
}

/** Validates all files before writing the first. Does not run modules for this, because they may write. */
async function requireSeedable(files: readonly string[], options: SeedOptions): Promise<void> {
  const { mode, key, emulator, modules } = options
  if (mode === 'replace' && !emulator) {
    const hint = `Delete the documents first: svc docs delete COLLECTION --all${options.target ?? ''}`
    throw misuse('--replace works in an emulator only.', hint)
  }
  const mayBeRefused = !emulator || (mode === 'upsert' && key === undefined)
  if (!mayBeRefused) return
  for (const file of files.filter((file) => !isModule(file))) {
    const read = await readSeedFile(file, modules)
    if (!('content' in read)) requireRowKey(file, { mode, key })
    else if (!emulator) (await import('./plant-hosted.js')).requireHosted(read.content)
  }
}

async function* seedFile(file: string, options: SeedOptions): AsyncGenerator<Planted> {
  const read = await readSeedFile(file, options.modules)
  if (options.emulator) return yield* seedEmulator(file, read, { ...options, emulator: options.emulator })
  const { plantContent, plantRows } = await import('./plant-hosted.js')
  const planting = { ...options, isUpsert: options.mode === 'upsert', file }
  if ('content' in read) yield* plantContent(read.content, planting)
  else yield await plantRows(file, read.text, planting)
}

/** An emulator applies a file atomically. */
async function* seedEmulator(
  file: string,
  read: SeedFile,
  {
    client,
    mode,
    key,
    emulator,
    before,
  }: SeedOptions & { readonly emulator: SeedTarget; readonly before?: SeedContent },
): AsyncGenerator<Planted> {
  const planted = 'content' in read ? await rememberedIds(file, read.content, client) : new Map()
  const knownIds = ({ name }: { name: string }) => planted.get(name)?.found ?? new Map()
  const sent = await sendSeed(emulator, await prepareSeed(file, read, { mode, key, knownIds, before }), mode)
  if ('content' in read) await saveIds(file, read.content, { client, sent })
  yield* plantedIn(sent)
}

/** Returns a function that re-reads the file and applies what is new since the last successful run. */
export function seedChanges(file: string, options: SeedOptions): () => Promise<Planted[]> {
  const { emulator } = options
  let before: SeedContent | undefined
  return async () => {
    const read = await readSeedFile(file, options.modules)
    const content = 'content' in read ? read.content : await rowContent(file, read.text)
    if (!emulator) return []
    const mode = before === undefined ? options.mode : 'upsert'
    const planted: Planted[] = []
    for await (const one of seedEmulator(file, { content }, { ...options, mode, emulator, before })) planted.push(one)
    before = content
    return planted
  }
}

/** Summarizes what was seeded, users and files first. */
export function plantedIn({ users, files, collections }: SentSeed): Planted[] {
  const parts = [
    { collection: 'users', ...users },
    { collection: 'files', ...files },
  ]
  return [
    ...parts.filter(({ created, updated, kept }) => created + updated + kept > 0),
    ...collections.map(({ name, ids: _, ...counts }) => ({ collection: name, ...counts })),
  ].map((counts) => ({ ...counts, isWhole: true }))
}

type Client = PlantOptions['client']

/** Returns the saved ids of an earlier run, by collection. Skips missing collections. */
async function rememberedIds(file: string, { collections }: SeedContent, client: Client) {
  const all = new Map<string, ReturnType<typeof openPlantedIds>>()
  for (const { name, documents } of collections) {
    const id = await collectionId(client, name)
    if (id !== undefined) all.set(name, openPlantedIds(file, id, documents))
  }
  return all
}

async function saveIds(
  file: string,
  { collections }: SeedContent,
  { client, sent }: { client: Client; sent: SentSeed },
): Promise<void> {
  for (const { name, documents } of collections) {
    const ids = sent.collections.find((one) => one.name === name)?.ids ?? []
    const id = ids.length === 0 ? undefined : await collectionId(client, name)
    if (id === undefined) continue
    const planted = openPlantedIds(file, id, documents)
    planted.save(new Map([...planted.found, ...ids]))
  }
}

async function collectionId(client: Client, name: string): Promise<string | undefined> {
  return (await client.collections.get(name).catch(undefinedIfMissing))?.id
}

/** Returns the emulator if the seed runs as its owner. Undefined with another key or user. */
export function findSeedTarget({ emulator, key }: Target, as?: string): SeedTarget | undefined {
  if (!emulator || as !== undefined || key !== emulator.apiKey) return undefined
  return ownSeedTarget(emulator)
}

export function ownSeedTarget(emulator: Pick<EmulatorInfo, 'url' | 'controlToken' | 'projectId'>): SeedTarget {
  return { control: openControl(emulator, maxMilliseconds), project: emulator.projectId }
}

/** Returns the options to seed an emulator that is starting. */
export function createSeedOptions(
  emulator: Pick<EmulatorInfo, 'url' | 'controlToken' | 'projectId'>,
  client: Client,
  ask: ((question: string) => Promise<void>) | undefined,
  signal: AbortSignal,
): SeedOptions {
  const modules = { client, allow: allowCode(ask) }
  return { client, mode: 'fill', key: undefined, emulator: ownSeedTarget(emulator), signal, modules }
}

/** Large seeds are applied in one request, which may take long. */
const maxMilliseconds = 3_600_000

/** Summarizes a seeded collection. */
export function seededNote({ collection, created, updated, isWhole }: Planted): string {
  const counts = [created > 0 ? `${count(created)} created` : '', updated > 0 ? `${count(updated)} updated` : '']
  const said = counts.filter((one) => one !== '').join(', ') || 'nothing to do'
  return `"${collection}"${isWhole ? '' : ', in part'} (${said})`
}
