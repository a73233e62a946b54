/** Compares an emulator with a service, document by document, before anything is written. */
import type { Collection } from '../../client/protocol/model/collection.js'
import type { Document } from '../../client/protocol/model/document.js'
import { canonicalJson, type Json, type JsonObject } from '../../client/protocol/model/json.js'
import { formatPath, type Path, parsePath, valueAt } from '../../client/protocol/model/path.js'
import { withDefaults } from '../../client/protocol/model/schema.js'
import type { Adapter } from '../base/deployed-client.js'
import { CliFailure, exits, undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/service-command.js'
import { findUnlisted } from '../collections/choose.js'
import { unlistedId } from '../collections/identify.js'
import { type CollectionPlan, compare, type Opened, type Read } from './compare.js'
import { hashOf, type Ids, idsIn, withIds } from './documents.js'
import { pairedWith } from './paired-collections.js'
import { openPairs, type Pair, type Pairs } from './pairs.js'
import { redactedFields } from './redacted-fields.js'
import { hasField } from './redaction.js'

export interface SyncPlan {
  readonly collections: readonly CollectionPlan[]
  /** The service's ids, by the emulator's. */
  readonly ids: Ids
  /** The emulator's ids of documents that a killed run created. */
  readonly recovered: readonly string[]
}

export interface Sides {
  readonly local: Client
  readonly remote: Client
  /** The service's address. */
  readonly url: string
  readonly key: string | undefined
  /** Describes what the service tells and stores. */
  readonly remoteIs: Pick<Adapter, 'listsCollections' | 'storesEmpty'>
  /** Users that earlier pulls created or found on both sides. */
  readonly userPairs: Pairs
}

export interface PlanOptions {
  /** Collections to compare; empty for all of both sides. */
  readonly names: readonly string[]
  /** The field that identifies documents that were never synced. */
  readonly by: string | undefined
  /** Applies the redaction of earlier pulls. */
  readonly isPull: boolean
  /** Fields to redact, by collection. */
  readonly redact: ReadonlyMap<string, readonly string[]>
  /** Fields that an earlier pull redacted, to pull unredacted now, by collection. */
  readonly unredact: ReadonlyMap<string, readonly string[]>
  /** Users of both sides, whom documents link to. */
  readonly users: readonly Pair[]
  readonly signal: AbortSignal
}

/**
 * Reads both sides and writes nothing.
 *
 * @throws {CliFailure} `NOT_FOUND`, `AMBIGUOUS` if several documents have the same value in the field `by`
 */
export async function planSync(sides: Sides, options: PlanOptions): Promise<SyncPlan> {
  const { opened, others } = await openBoth(sides, options)
  const remote = new Map<string, Read>()
  for (const one of opened) remote.set(one.name, await read(sides.remote, one, one.remote, options))
  const pairsOf = new Map<string, ReadonlyMap<string, Pair>>()
  const own = new Set<string>()
  for (const one of opened) {
    const here = await read(sides.local, one, one.local, options)
    for (const id of here.hashes.keys()) own.add(id)
    pairsOf.set(one.name, pairUp(one, here, remote.get(one.name) ?? nothing, options))
  }
  const known = [...opened, ...others].flatMap(({ name, pairs, former }) => [
    ...former.flatMap((one) => [...one.gone.values(), ...one.byLocal.values()]),
    ...(pairs?.gone.values() ?? []),
    ...((pairsOf.get(name) ?? pairs?.byLocal)?.values() ?? []),
  ])
  const { gone, byLocal } = sides.userPairs
  const users = [...gone.values(), ...byLocal.values(), ...options.users]
  const ids = new Map([...known, ...users].map(({ local, remote }) => [local, remote]))
  const all = { ids, own, theirs: new Set([...remote.values()].flatMap(({ hashes }) => [...hashes.keys()])) }
  const pairs = opened.flatMap((one) => [
    ...(one.pairs?.gone.values() ?? []),
    ...(pairsOf.get(one.name)?.values() ?? []),
  ])
  const foreign = foreignIds(all, pairs)
  const collections: CollectionPlan[] = []
  for (const one of opened) {
    const there = remote.get(one.name) ?? nothing
    const here = await read(sides.local, one, one.local, options, { ids, foreign })
    collections.push(compare(one, { here, there, pairs: pairsOf.get(one.name) ?? new Map() }))
  }
  const recovered = collections.flatMap(({ same }) => same.filter(({ local, remote }) => ids.get(local) !== remote))
  for (const { local, remote } of recovered) ids.set(local, remote)
  return { collections, ids, recovered: recovered.map(({ local }) => local) }
}

/** Returns ids that links may have to change: all except the emulator's ids of documents that both sides have. */
function foreignIds(
  { ids, own, theirs }: { readonly ids: Ids; readonly own: ReadonlySet<string>; readonly theirs: ReadonlySet<string> },
  pairs: readonly Pair[],
): ReadonlySet<string> {
  const foreign = new Set([...ids].flatMap(([local, remote]) => (local === remote ? [] : [remote])))
  const paired = new Set(ids.values())
  for (const id of own) if (!ids.has(id)) foreign.add(id)
  for (const id of theirs) if (!paired.has(id)) foreign.add(id)
  // Deleted on one side: it gets a new id there once it is created again.
  for (const { local, remote } of pairs) {
    if (!own.has(local) || !theirs.has(remote)) foreign.add(local)
  }
  return foreign
}

/** Opens the requested collections, and all others, since documents may link to them. */
async function openBoth(
  sides: Sides,
  { names, isPull, redact, unredact }: PlanOptions,
): Promise<{ readonly opened: readonly Opened[]; readonly others: readonly Opened[] }> {
  const { local, remote, url } = sides
  const here = await byName(local)
  const there = sides.remoteIs.listsCollections ? await byName(remote) : await readNamed(sides, names, here)
  const all = [...new Set([...there.keys(), ...here.keys()])]
  const wanted = names.length > 0 ? [...new Set(names)] : all
  const missing = wanted.find((name) => !here.has(name) && !there.has(name))
  if (missing !== undefined) {
    if (sides.remoteIs.listsCollections) await findUnlisted(remote.collections, missing)
    throw new CliFailure('NOT_FOUND', exits.notFound, `Neither the emulator nor ${url} has a collection "${missing}".`)
  }
  const open = (name: string) => {
    const [one, other] = [here.get(name), there.get(name)]
    const pairs = one && other ? openPairs(url, { local: one.id, remote: other.id }) : undefined
    const remotes = one ? pairedWith(url, one.id).filter((id) => id !== other?.id) : []
    const earlier = remotes.map((remote) => openPairs(url, { local: one?.id ?? '', remote }))
    // Others may link to its documents, whether it was deleted or the key cannot see it.
    const former = other ? [] : earlier
    const substitutes = new Set([...(pairs?.redacted ?? []), ...earlier.flatMap((one) => [...one.redacted])])
    // Documents that were pulled before keep the redaction of those pulls.
    const isNew = !pairs?.isPulled || pairs.byLocal.size === 0
    const rules = isPull && isNew && other ? redactedFields(sides, other) : []
    const over = new Set(unredact.get(name))
    const kept = [...substitutes, ...rules].filter((field) => !over.has(field))
    const redacted = [...new Set([...kept, ...(redact.get(name) ?? [])])].map(parsePath)
    const schema = { ...one?.schema, ...other?.schema }
    return { name, local: one, remote: other, pairs, former, substitutes, redacted, schema }
  }
  return { opened: wanted.map(open), others: all.filter((name) => !wanted.includes(name)).map(open) }
}

async function byName({ collections }: Client): Promise<Map<string, Collection>> {
  return new Map((await collections.list()).map((one) => [one.name, one]))
}

/** Finds the named collections by counting their documents. They count as having the settings of the emulator's. */
async function readNamed(
  { remote, url }: Sides,
  names: readonly string[],
  here: ReadonlyMap<string, Collection>,
): Promise<Map<string, Collection>> {
  const found = new Map<string, Collection>()
  for (const name of new Set(names)) {
    if ((await remote.collection(name).count().catch(undefinedIfMissing)) === undefined) continue
    const { schema = {}, permissions = {}, ...rest } = here.get(name) ?? {}
    const times = { createdAt: '', updatedAt: '' }
    found.set(name, { ...times, ...rest, schema, permissions, id: unlistedId(url, name), name } as Collection)
  }
  return found
}

const nothing: Read = { hashes: new Map(), wholes: new Map(), byKey: new Map(), references: new Map(), seen: new Set() }

interface KnownIds {
  /** The service's ids, by the emulator's. */
  readonly ids: Ids
  readonly foreign: ReadonlySet<string>
}

async function read(
  client: Client,
  { name, redacted, schema }: Opened,
  collection: Collection | undefined,
  { by, signal }: PlanOptions,
  known?: KnownIds,
): Promise<Read> {
  if (!collection) return nothing
  const [hashes, wholes, byKey, references, seen] = [
    new Map<string, string>(),
    new Map<string, string>(),
    new Map<string, string>(),
    new Map<string, readonly string[]>(),
    new Set<Path>(),
  ]
  const keyed = by === undefined || known ? undefined : { name, by }
  for await (const document of client.collection(name).iterate({ signal })) {
    const { id, data } = document
    const named = known ? withIds(data, known.ids) : data
    const whole = withDefaults(schema, named)
    hashes.set(id, hashOf(named, redacted))
    if (whole !== named) wholes.set(id, hashOf(whole, redacted))
    const found = known ? idsIn(data, known.foreign) : []
    if (found.length > 0) references.set(id, found)
    noteFields(seen, data, redacted)
    if (keyed) addKey(byKey, document, keyed)
  }
  return { hashes, wholes, byKey, references, seen }
}

function noteFields(seen: Set<Path>, data: JsonObject, paths: readonly Path[]): void {
  for (const path of paths) if (hasField(data, path)) seen.add(path)
}

/** @throws {CliFailure} `AMBIGUOUS` if another document has the same value */
function addKey(
  byKey: Map<string, string>,
  { id, data }: Pick<Document, 'id' | 'data'>,
  { name, by }: { readonly name: string; readonly by: string },
): void {
  const key = identifyBy(data, by)
  if (key === undefined) return
  if (byKey.has(key)) throw ambiguous(name, by, key)
  byKey.set(key, id)
}

function identifyBy(data: JsonObject, by: string): string | undefined {
  const value: Json | undefined = valueAt(data, parsePath(by))
  return value === undefined || value === null ? undefined : canonicalJson(value)
}

/** Adds pairs of documents with the same id, as copies of a state have, or the same value in the field `by`. */
function pairUp(one: Opened, here: Read, there: Read, { redact }: PlanOptions): ReadonlyMap<string, Pair> {
  requireSeen(one.name, there, redact.get(one.name) ?? [])
  const pairs = new Map(one.pairs?.byLocal)
  const paired = new Set([...pairs.values()].map(({ remote }) => remote))
  for (const [key, id] of here.byKey) {
    const remote = there.byKey.get(key)
    if (remote === undefined || pairs.has(id) || paired.has(remote)) continue
    pairs.set(id, { local: id, remote })
    paired.add(remote)
  }
  for (const id of here.hashes.keys()) {
    if (there.hashes.has(id) && !paired.has(id) && !pairs.has(id)) pairs.set(id, { local: id, remote: id })
  }
  return pairs
}

/** A typo in a field name must not let personal data through. */
function requireSeen(name: string, { hashes, seen }: Read, wanted: readonly string[]): void {
  const found = new Set([...seen].map(formatPath))
  const unseen = hashes.size > 0 ? wanted.find((field) => !found.has(field)) : undefined
  if (unseen === undefined) return
  const message = `Cannot redact "${unseen}": no document of "${name}" has this field.`
  throw new CliFailure('NOT_FOUND', exits.notFound, `${message} Nothing was done.`, 'Check the spelling of the field.')
}

function ambiguous(name: string, by: string, key: string): CliFailure {
  const message = `"${name}" has more than one document whose "${by}" is ${key.slice(0, 80)}.`
  return new CliFailure('AMBIGUOUS', exits.invalid, message, 'Use --by with a field whose values are unique.')
}
