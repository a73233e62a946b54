/** Writes a seed and its files from what an emulator holds. */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createClient } from '../../client/index.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import { type ExportedCollection, type ExportedProject, exportSeed } from '../../seeds/export-seed.js'
import { CliFailure, exits, misuse } from '../base/failure.js'
import { isDevice } from '../files/places.js'
import { replacePrivateFile } from '../files/private-file.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { fetchDirectly } from '../target/fetch-directly.js'
import { requireNoLink } from '../target/no-link.js'
import { counted } from '../terminal/print.js'

type Emulator = Pick<EmulatorInfo, 'url' | 'controlToken' | 'projectId'>

export interface Exported {
  readonly file: string
  readonly collections: number
  readonly documents: number
  readonly users: number
  readonly files: number
}

/**
 * @param names the collections; without any, all of them, and all users and files
 * @throws {CliFailure} where stored files are to go beside a device or a pipe, or through a link
 */
export async function exportInto(file: string, names: readonly string[], emulator: Emulator): Promise<Exported> {
  const control = openControl(emulator)
  const project = emulator.projectId
  // Permissions ask for the owner.
  const { id, key } = await control.keys.create({ project, secret: true, name: 'svc seed export' })
  const held = await readAll(emulator.url, key, names).finally(() => control.keys.revoke({ project, key: id }))
  const { users, files } = await control.seeds.get({ project })
  const whole: ExportedProject = { collections: held, users, files }
  const seed = exportSeed(whole, { isWhole: names.length === 0 })
  const beside = seed.files.map(({ url, place }) => ({ url, place: join(dirname(file), place) }))
  if (beside.length > 0 && isDevice(file)) throw noFolder(file, beside.length)
  for (const { place } of beside) requireNoLink(place, dirname(file))
  for (const { place } of [...beside, { place: file }]) await mkdir(dirname(place), { recursive: true })
  for (const { url, place } of beside) await fetchInto(place, url)
  // What a seed holds opens accounts.
  await replacePrivateFile(file, seed.text)
  return {
    file,
    collections: held.length,
    documents: held.reduce((sum, { documents }) => sum + documents.length, 0),
    users: seed.users,
    files: seed.files.length,
  }
}

function noFolder(file: string, files: number): CliFailure {
  return misuse(
    `"${file}" is a device or a pipe, and ${counted(files, 'stored file')} would go into a folder beside it.`,
    'Name a file: -o seed.json. Or name the collections to export, if they refer to no files.',
  )
}

async function readAll(url: string, apiKey: string, names: readonly string[]): Promise<ExportedCollection[]> {
  const client = createClient({ url, apiKey, fetch: fetchDirectly })
  const all = await client.collections.list()
  const missing = names.find((name) => !all.some((one) => one.name === name))
  if (missing !== undefined) throw new CliFailure('NOT_FOUND', exits.notFound, `No collection "${missing}".`)
  const held: ExportedCollection[] = []
  for (const { name, schema, permissions = {} } of all) {
    if (names.length > 0 && !names.includes(name)) continue
    const documents: { id: string; data: JsonObject }[] = []
    for await (const { id, data } of client.collection(name).iterate({ sort: 'id' })) documents.push({ id, data })
    held.push({ name, schema, permissions, documents })
  }
  return held
}

async function fetchInto(place: string, url: string): Promise<void> {
  const answer = await fetch(url)
  if (!answer.ok) throw new CliFailure('NOT_FOUND', exits.notFound, `${url} could not be read (${answer.status}).`)
  await replacePrivateFile(place, Buffer.from(await answer.arrayBuffer()))
}
