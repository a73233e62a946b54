import type { Document } from '../../client/protocol/model/document.js'
import { httpStatus, SvcError } from '../../client/protocol/model/errors.js'
import type { Json, JsonObject } from '../../client/protocol/model/json.js'
import { valueAt } from '../../client/protocol/model/path.js'
import {
  type Reference,
  referenceName,
  referencesIn,
  resolveReferences,
} from '../../client/protocol/model/seed/references.js'
import type {
  CollectionEntry as SeedCollection,
  SeedContent,
  DocumentEntry as SeedDocument,
} from '../../seeds/content.js'
import { badSeed } from '../../seeds/failure.js'
import { findReferences, inOrder, meant, qualifyName } from '../../seeds/order.js'
import { requireKeys } from '../../seeds/steps.js'
import { undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { createIfMissing } from '../collections/create-if-missing.js'
import { identifyCollection } from '../collections/identify.js'
import { openPlantedIds, type PlantedIds } from './planted-ids.js'
import { leftBehind, takeBack } from './take-back.js'

export interface Planted {
  readonly collection: string
  readonly created: number
  readonly updated: number
  /** Documents that were left as they are: the collection was not empty, and --upsert was not given. */
  readonly kept: number
  /** False where the signal stopped it in between. */
  readonly isWhole: boolean
}

export interface PlantOptions {
  readonly client: Client
  readonly file: string
  readonly isUpsert: boolean
  /** The field that identifies a document, where the file does not say. */
  readonly key: string | undefined
  /** Once aborted, no further document is written, and what would be half a collection is deleted again. */
  readonly signal: AbortSignal
  /** The address of the service. */
  readonly url?: string
  /** The flags that name the service in a command that is suggested. */
  readonly target?: string
}

type Known = Map<string, Map<string, Document>>

/** What is known while a file is planted. */
interface Planting extends PlantOptions {
  readonly known: Known
  /** The documents that others refer to: of what is left alone, only these are looked for. */
  readonly referred: ReadonlySet<string>
}

/**
 * Creates the collections and documents of a seed file, those that are referred to first, and yields each once it is done.
 * Seeding again adds nothing: a collection that holds documents is left alone, or with --upsert brought up to date.
 */
export async function* plant(content: SeedContent, options: PlantOptions): AsyncGenerator<Planted> {
  const { collections } = content
  for (const collection of collections) requireKeys(collection, options.key)
  const referred = new Set(
    collections.flatMap(findReferences).map((reference) => qualifyName(meant(content, reference), reference.document)),
  )
  const planting: Planting = { ...options, known: new Map(), referred }
  for (const collection of inOrder(content)) {
    if (options.signal.aborted) return
    yield await plantOne(collection, planting)
  }
}

async function plantOne(seed: SeedCollection, options: Planting): Promise<Planted> {
  const { client, file, isUpsert, known, signal, url = '' } = options
  await ensureCollection(seed, options)
  const collection = client.collection(seed.name)
  const remembered = openPlantedIds(file, (await identifyCollection(client, seed.name, url)).id, seed.documents)
  const isEmpty = (await collection.list({ limit: 1 })).items.length === 0
  const documents = new Map<string, Document>()
  known.set(referenceName(seed.name), documents)
  const planted = { collection: seed.name, created: 0, updated: 0, kept: 0 }
  const takeAllBack = () =>
    takeBack(
      client,
      seed.name,
      [...documents.values()].map(({ id }) => id),
    )
  for (const document of seed.documents) {
    if (!isEmpty && !isUpsert) {
      const there = await findKept(seed, document, remembered.found.get(document.name), options)
      if (there) documents.set(document.name, there)
      planted.kept += 1
      continue
    }
    if (signal.aborted) break
    try {
      const fields = resolveFields(document, known)
      const there = isEmpty ? undefined : await findBefore(seed, document, { fields, remembered, options })
      documents.set(document.name, await (there ? collection.update(there.id, fields) : collection.create(fields)))
      planted[there ? 'updated' : 'created'] += 1
    } catch (error) {
      const left = isEmpty ? await takeAllBack() : 0
      throw leftBehind(placedInSeed(error, seed, document), seed.name, left, options.target)
    }
  }
  const isWhole = planted.created + planted.updated + planted.kept === seed.documents.length
  if (!isWhole && isEmpty) return { ...planted, created: await takeAllBack(), isWhole }
  const ids = new Map([...documents].map(([name, { id }]) => [name, id]))
  if (isEmpty || isUpsert) remembered.save(new Map([...remembered.found, ...ids]))
  return { ...planted, isWhole }
}

/** What the service says of the document itself, with its place; any other failure would be the same for each of them. */
function placedInSeed(error: unknown, { name }: SeedCollection, document: SeedDocument): unknown {
  if (!(error instanceof SvcError) || !statusesOfDocuments.includes(httpStatus(error))) return error
  return badSeed(document.place, `"${name}.${document.name}": ${error.message.replace(/\.$/, '')}`, error)
}

const statusesOfDocuments = [400, 413, 422]

/** The document of an earlier planting, by the id that is remembered of it, or by its key. */
async function findBefore(
  seed: SeedCollection,
  { name }: SeedDocument,
  { fields, remembered, options }: { fields: JsonObject; remembered: PlantedIds; options: Planting },
): Promise<Document | undefined> {
  const id = keyOf(seed, options) === undefined ? remembered.found.get(name) : undefined
  return (await getIfThere(options.client, seed, id)) ?? findSame(options.client, seed, fields, options)
}

function keyOf(seed: SeedCollection, { key }: PlantOptions): string | undefined {
  return seed.key ?? key
}

async function getIfThere(client: Client, { name }: SeedCollection, id: string | undefined) {
  if (id === undefined) return undefined
  return client.collection(name).get(id).catch(undefinedIfMissing)
}

/** A document of a collection that is left alone, where another refers to it. */
async function findKept(
  seed: SeedCollection,
  document: SeedDocument,
  id: string | undefined,
  options: Planting,
): Promise<Document | undefined> {
  const { client, known, referred } = options
  if (!referred.has(qualifyName(referenceName(seed.name), document.name))) return undefined
  const there = await getIfThere(client, seed, id)
  if (there) return there
  // Nothing is created here, so what it refers to need not be there either.
  const isWhole = referencesIn(document.fields).every((reference) => 'value' in findReferred(reference, known))
  return isWhole ? findSame(client, seed, resolveFields(document, known), options) : undefined
}

async function ensureCollection(
  { name, schema, permissions }: SeedCollection,
  { client, isUpsert }: PlantOptions,
): Promise<void> {
  const settings = { ...(schema && { schema }), ...(permissions && { permissions }) }
  const isNew = await createIfMissing(client, { name, ...settings })
  if (!isNew && isUpsert && (schema ?? permissions)) await client.collections.update(name, settings)
}

/** The document that an earlier planting made: it has the same key, or where there is none the same plain fields. */
async function findSame(
  client: Client,
  seed: SeedCollection,
  fields: JsonObject,
  options: PlantOptions,
): Promise<Document | undefined> {
  const key = keyOf(seed, options)
  const asked = key === undefined ? Object.entries(fields) : Object.entries(fields).filter(([name]) => name === key)
  const plain = asked.filter(([, value]) => isPlain(value))
  if (plain.length === 0) return undefined
  const all = plain.map(([name, value]) => ({
    any: [{ path: [name] as const, operator: 'eq' as const, value: String(value) }],
  }))
  try {
    // The text of a number finds the same text too, and arrays that hold it.
    for await (const there of client.collection(seed.name).iterate({ where: { all } })) {
      const record = recordOf(there)
      if (plain.every(([name, value]) => record[name] === value)) return there
    }
    return undefined
  } catch (error) {
    // With a key that cannot be asked for, each --upsert would create all documents once more.
    if (isUnaskable(error) && !(options.isUpsert && key !== undefined)) return undefined
    throw error
  }
}

/** No query asks for a field called "order", for instance, nor for over 8 KB of text. */
function isUnaskable(error: unknown): boolean {
  return error instanceof SvcError && (error.code === 'INVALID_FILTER' || statusesOfQueries.includes(httpStatus(error)))
}

// A server or proxy may have its own answer to an address that is too long.
const statusesOfQueries = [400, 414, 431]

function isPlain(value: Json | undefined): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** @throws {CliFailure} with file and line, where a reference leads nowhere. */
function resolveFields({ name, place, fields }: SeedDocument, known: Known): JsonObject {
  const lookUp = (reference: Reference): Json => {
    const found = findReferred(reference, known)
    if ('value' in found) return found.value
    throw badSeed(place, `"${name}" refers to ${reference.text}, ${found.problem}`)
  }
  return resolveReferences(fields, lookUp) as JsonObject
}

function findReferred(reference: Reference, known: Known): { value: Json } | { problem: string } {
  const document = known.get(referenceName(reference.collection))?.get(reference.document)
  if (!document) return { problem: 'and there is no such document' }
  const value = valueAt(recordOf(document), reference.path)
  return value === undefined ? { problem: 'which has no such field' } : { value }
}

function recordOf({ id, createdAt, updatedAt, data }: Document): JsonObject {
  return { ...data, id, createdAt, updatedAt }
}
