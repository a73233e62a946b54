/** Exports an emulator's data as a seed with its files. */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Client, createClient } from '../../client/index.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import {
  type ExportedCollection,
  type ExportedProject,
  type ExportedSeed,
  exportSeed,
} from '../../seeds/export-seed.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { stopSignal } from '../base/stop-signal.js'
import { isDevice } from '../files/places.js'
import { replacePrivateFile } from '../files/private-file.js'
import { openControl } from '../target/control.js'
import type { OwnEmulator } from '../target/emulator-of-run.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { requireNoLink } from '../target/no-link.js'
import { ownerKey } from '../target/owner.js'
import { counted } from '../terminal/print.js'

export interface Exported {
  /** Null if it was printed. */
  readonly file: string | null
  readonly collections: number
  readonly documents: number
  readonly users: number
  readonly files: number
}

/**
 * @param file target file; printed if omitted
 * @param names collections to export; without any, exports all collections, users, and files
 * @throws {CliFailure} if stored files would go next to a device, a pipe, or through a symlink; `INTERRUPTED` on a
 * signal
 */
export async function exportInto(
  file: string | undefined,
  names: readonly string[],
  emulator: OwnEmulator,
  print: (text: string) => void,
): Promise<Exported> {
  const control = openControl(emulator)
  const project = emulator.projectId
  const held = await readAll(emulator, names)
  const { users, files } = await control.seeds.get({ project })
  const whole: ExportedProject = { collections: held, users, files }
  const seed = exportSeed(whole, { isWhole: names.length === 0 })
  const hasFolder = file !== undefined && !isDevice(file)
  if (seed.files.length > 0 && !hasFolder) throw noFolder(file, seed.files.length)
  await (file === undefined ? print(seed.text) : writeAll(file, seed))
  return {
    file: file ?? null,
    collections: held.length,
    documents: held.reduce((sum, { documents }) => sum + documents.length, 0),
    users: seed.users,
    files: seed.files.length,
  }
}

/** Writes a seed with its stored files next to it. */
async function writeAll(file: string, { text, files }: ExportedSeed): Promise<void> {
  const beside = files.map(({ url, place }) => ({ url, place: join(dirname(file), place) }))
  for (const { place } of beside) requireNoLink(place, dirname(file))
  for (const { place } of [...beside, { place: file }]) await mkdir(dirname(place), { recursive: true })
  for (const { url, place } of beside) await fetchInto(place, url)
  // Private, because a seed contains credentials.
  await replacePrivateFile(file, text)
}

function noFolder(file: string | undefined, files: number): CliFailure {
  const place = file === undefined ? 'The seed goes to stdout' : `"${file}" is a device or a pipe`
  return misuse(
    `${place}, so there is no folder for ${counted(files, 'stored file')}.`,
    'Choose a file: -o seed.json. Or name collections that contain no files.',
  )
}

/** Reads as the owner, because permissions may hide documents from others. */
async function readAll(emulator: OwnEmulator, names: readonly string[]): Promise<ExportedCollection[]> {
  const { url } = emulator
  const stop = stopSignal()
  try {
    const apiKey = await ownerKey({ url, emulator })
    return await readCollections(createClient({ url, apiKey, fetch: fetchDirectly }), names, stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? new CliFailure('INTERRUPTED', stop.exit(), 'Stopped; nothing was written.') : error
  } finally {
    stop.release()
  }
}

async function readCollections(
  client: Client,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ExportedCollection[]> {
  const all = await client.collections.list({ signal })
  const missing = names.find((name) => !all.some((one) => one.name === name))
  if (missing !== undefined) throw new CliFailure('NOT_FOUND', exits.notFound, `No collection "${missing}".`)
  const held: ExportedCollection[] = []
  for (const { name, permissions = {}, ...settings } of all) {
    if (names.length > 0 && !names.includes(name)) continue
    const documents: { id: string; data: JsonObject }[] = []
    for await (const { id, data } of client.collection(name).iterate({ sort: 'id', signal }))
      documents.push({ id, data })
    held.push({ ...settings, name, permissions, documents })
  }
  return held
}

async function fetchInto(place: string, url: string): Promise<void> {
  const answer = await fetch(url)
  if (!answer.ok) throw new CliFailure('NOT_FOUND', exits.notFound, `${url} could not be read (${answer.status}).`)
  await replacePrivateFile(place, Buffer.from(await answer.arrayBuffer()))
}
