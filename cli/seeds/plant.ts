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
  /** Documents left unchanged, because the collection was not empty and --upsert is not set. */
  readonly kept: number
  /** False if the signal aborted it. */
  readonly isWhole: boolean
}

export interface PlantOptions {
  readonly client: Client
  readonly file: string
  readonly isUpsert: boolean
  /** The field that identifies a document, unless the file names one. */
  readonly key: string | undefined
  /** Once aborted, nothing more is written, and an incomplete collection is removed. */
  readonly signal: AbortSignal
  /** URL of the service. */
  readonly url?: string
  /** Flags that select the service in suggested commands. */
  readonly target?: string
}

type Known = Map<string, Map<string, Document>>

/** State of one run. */
interface Planting extends PlantOptions {
  readonly known: Known
  /** Documents that others refer to. In unchanged collections, only these are looked up. */
  readonly referred: ReadonlySet<string>
}

/**
 * Creates the collections and documents of a seed file, referenced ones first, and yields each when done. Repeated
 * runs add nothing: a collection with documents stays unchanged, or is updated with --upsert.
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
  if (!isEmpty && !isUpsert) {
    await findAllKept(seed, documents, remembered, options)
    return { ...planted, kept: seed.documents.length, isWhole: true }
  }
  const takeAllBack = () =>
    takeBack(
      client,
      seed.name,
      [...documents.values()].map(({ id }) => id),
    )
  for (const document of seed.documents) {
    if (signal.aborted) break
    try {
      const { outcome, saved } = await plantDocument(seed, document, { isEmpty, remembered, options })
      documents.set(document.name, saved)
      planted[outcome] += 1
    } catch (error) {
      const left = isEmpty ? await takeAllBack() : 0
      throw leftBehind(placedInSeed(error, seed, document), seed.name, left, options.target)
    }
  }
  const isWhole = planted.created + planted.updated === seed.documents.length
  if (!isWhole && isEmpty) return { ...planted, created: await takeAllBack(), isWhole }
  const ids = new Map([...documents].map(([name, { id }]) => [name, id]))
  remembered.save(new Map([...remembered.found, ...ids]))
  return { ...planted, isWhole }
}

async function plantDocument(
  seed: SeedCollection,
  document: SeedDocument,
  { isEmpty, remembered, options }: { isEmpty: boolean; remembered: PlantedIds; options: Planting },
): Promise<{ outcome: 'created' | 'updated'; saved: Document }> {
  const collection = options.client.collection(seed.name)
  const fields = resolveFields(document, options.known)
  const there = isEmpty ? undefined : await findBefore(seed, document, { fields, remembered, options })
  return there
    ? { outcome: 'updated', saved: await collection.update(there.id, fields) }
    : { outcome: 'created', saved: await collection.create(fields) }
}

/** Adds the document's position to errors about the document. Other failures would hit every document alike. */
function placedInSeed(error: unknown, { name }: SeedCollection, document: SeedDocument): unknown {
  if (!(error instanceof SvcError) || !statusesOfDocuments.includes(httpStatus(error))) return error
  return badSeed(document.place, `"${name}.${document.name}": ${error.message.replace(/\.$/, '')}`, error)
}

const statusesOfDocuments = [400, 413, 422]

/** Finds the document from an earlier run by its saved id or its key. */
async function findBefore(
  seed: SeedCollection,
  { name }: SeedDocument,
  { fields, remembered, options }: { fields: JsonObject; remembered: PlantedIds; options: Planting },
): Promise<Document | undefined> {
  const id = effectiveKey(seed, options) === undefined ? remembered.found.get(name) : undefined
  return (await getIfThere(options.client, seed, id)) ?? findSame(options.client, seed, fields, options)
}

function effectiveKey(seed: SeedCollection, { key }: PlantOptions): string | undefined {
  return seed.key ?? key
}

async function getIfThere(client: Client, { name }: SeedCollection, id: string | undefined) {
  if (id === undefined) return undefined
  return client.collection(name).get(id).catch(undefinedIfMissing)
}

/** Finds the referenced documents of an unchanged collection. */
async function findAllKept(
  seed: SeedCollection,
  documents: Map<string, Document>,
  remembered: PlantedIds,
  options: Planting,
): Promise<void> {
  for (const document of seed.documents) {
    const there = await findKept(seed, document, remembered.found.get(document.name), options)
    if (there) documents.set(document.name, there)
  }
}

/** Finds a referenced document in an unchanged collection. */
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
  // Nothing is created here, so its own references may be missing.
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

/** Finds the document from an earlier run by its key, or else by its plain fields. */
async function findSame(
  client: Client,
  seed: SeedCollection,
  fields: JsonObject,
  options: PlantOptions,
): Promise<Document | undefined> {
  const key = effectiveKey(seed, options)
  const asked = key === undefined ? Object.entries(fields) : Object.entries(fields).filter(([name]) => name === key)
  const plain = asked.filter(([, value]) => isPlain(value))
  if (plain.length === 0) return undefined
  const all = plain.map(([name, value]) => ({
    any: [{ path: [name] as const, operator: 'eq' as const, value: String(value) }],
  }))
  try {
    // The query also finds texts that look like the number, and arrays that contain it.
    for await (const there of client.collection(seed.name).iterate({ where: { all } })) {
      const record = toRecord(there)
      if (plain.every(([name, value]) => record[name] === value)) return there
    }
    return undefined
  } catch (error) {
    // If the key cannot be queried, every --upsert would duplicate all documents.
    if (isUnaskable(error) && !(options.isUpsert && key !== undefined)) return undefined
    throw error
  }
}

/** Some fields cannot be queried, for example "order" or more than 8 KB of text. */
function isUnaskable(error: unknown): boolean {
  return error instanceof SvcError && (error.code === 'INVALID_FILTER' || statusesOfQueries.includes(httpStatus(error)))
}

// A server or proxy may reject a long URL with its own status.
const statusesOfQueries = [400, 414, 431]

function isPlain(value: Json | undefined): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** @throws {CliFailure} with file and line if a reference leads nowhere */
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
  if (!document) return { problem: 'which does not exist' }
  const value = valueAt(toRecord(document), reference.path)
  return value === undefined ? { problem: 'which has no such field' } : { value }
}

function toRecord({ id, createdAt, updatedAt, data }: Document): JsonObject {
  return { ...data, id, createdAt, updatedAt }
}
