/** Finds and applies the consequences of a deletion for documents that link to the deleted records. Contract 13.3. */
import type { OnDelete } from '../../../client/protocol/model/collection.js'
import { parseFields, type StoredDocument } from '../../../client/protocol/model/document.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes, formatCount } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { LimitName } from '../../../client/protocol/model/requests/reason.js'
import {
  isLinked,
  type LinkingCollection,
  type LinkingDocument,
  lockContaining,
  selectContaining,
  selectDataBytes,
  selectLinkingCollections,
} from '../../store/dependants.js'
import {
  deleteDocuments,
  lockDocuments,
  type NewData,
  updateDocumentData,
  type WriteTarget,
} from '../../store/documents.js'
import type { Covered } from '../../store/memberships.js'
import { type Claim, listClaims, listUniqueRules } from '../../store/unique-rules.js'
import { grantFor, partFor } from '../access/grant.js'
import { documentInUse } from '../access/in-use.js'
import { containing, type LinkPath, listLinkRules, withoutLinks } from '../collections/link-rules.js'
import type { Context } from '../context.js'
import { openPauses } from '../pauses.js'
import { changeUniqueValues, planValues, requireCurrentRules } from '../unique-values.js'
import { maxValuesIn } from './weight.js'
import { place, publishRecorded } from './writing.js'

/** Deleted records: of a collection, by its id, or `users`. */
export interface Deleted {
  readonly to: string
  readonly ids: readonly string[]
}

/** Documents of one collection that are deleted together. */
interface Level {
  readonly collection: WriteTarget['collection']
  readonly ids: readonly string[]
}

/** Links to remove from the documents of one collection. */
interface Unset {
  readonly collection: WriteTarget['collection']
  readonly documents: Map<string, readonly Link[]>
}

interface Link {
  readonly path: LinkPath
  readonly ids: ReadonlySet<string>
}

/** The rules of one collection that lead to the same target and have the same consequence. One query follows all. */
interface RuleGroup {
  readonly collection: LinkingCollection
  readonly onDelete: Exclude<OnDelete, 'keep'>
  readonly paths: LinkPath[]
}

/** The rules of one collection, and the records that are deleted. */
interface Followed extends RuleGroup {
  readonly ids: readonly string[]
}

/** Everything that a deletion takes along. */
export interface Plan {
  /** In the order in which they were found: each level links to earlier ones. */
  readonly levels: Level[]
  readonly unset: Map<string, Unset>
  /** Rules that refuse the deletion. */
  readonly refusing: Followed[]
  /** Upper bounds of the sizes of all documents that are deleted or changed, by id. */
  readonly sizes: Map<string, number>
  readonly isDeleted: Set<string>
  /** The collections whose unique rules cannot change until the end of the transaction. */
  readonly locked: Set<string>
}

/** The values per query, and the documents per statement. */
const maxPerQuery = 1_000
/** Chosen by us: queries for one deletion, because a chain of links needs one for each document. */
const maxLookups = 1_000

/**
 * Deletes and changes the documents that link to locked records, before the records themselves are deleted. Call it in
 * the transaction of the deletion, after the statement that locked them: only a later statement sees the links that
 * others committed before.
 *
 * @returns whether documents were deleted
 * @throws {SvcError} `DOCUMENT_IN_USE`, `RESULT_TOO_LARGE`
 */
export async function removeDependants(ctx: Context, deleted: Deleted): Promise<boolean> {
  const plan = await planDependants(ctx, deleted)
  if (!plan) return false
  await applyUnset(ctx, plan)
  for (const { collection, ids } of plan.levels.toReversed()) {
    const here = place(ctx, collection, ctx.backend.now(ctx.project.id))
    await publishRecorded(ctx, () => deleteDocuments(ctx.db, here, ids))
  }
  return plan.levels.length > 0
}

/**
 * Finds and locks the documents that a deletion takes along. Returns undefined if nothing can link here.
 *
 * @throws {SvcError} `DOCUMENT_IN_USE`, `RESULT_TOO_LARGE`
 */
export async function planDependants(ctx: Context, deleted: Deleted): Promise<Plan | undefined> {
  if (!(await isLinked(ctx.db, ctx.project.id, deleted.to))) return undefined
  const plan = await planRemoval(ctx, deleted)
  await requireUnused(ctx, plan)
  await requireFewBytes(ctx, plan)
  return plan
}

/** Follows the links, level by level. A document is visited once, so circles end. */
async function planRemoval(ctx: Context, deleted: Deleted): Promise<Plan> {
  const rules = groupRules(await selectLinkingCollections(ctx.db, ctx.project.id))
  const plan: Plan = {
    ...{ levels: [], unset: new Map(), refusing: [], sizes: new Map() },
    ...{ isDeleted: new Set(deleted.ids), locked: new Set() },
  }
  const steps: Deleted[] = [deleted]
  let lookups = 0
  for (const { to, ids } of steps) {
    for (const group of rules.get(to) ?? []) {
      lookups += Math.ceil((ids.length * group.paths.length) / maxPerQuery)
      if (lookups > maxLookups) throw tooManyDependants('dependent lookups', maxLookups)
      const level = await followRules(ctx, plan, { ...group, ids })
      if (level) steps.push({ to: group.collection.id, ids: level.ids })
    }
  }
  return plan
}

/** Groups the rules with consequences by the target of their links. */
function groupRules(linking: readonly LinkingCollection[]): ReadonlyMap<string, RuleGroup[]> {
  const targets = new Map<string, RuleGroup[]>()
  for (const collection of linking) {
    for (const { to, path, onDelete } of listLinkRules(collection.schema)) {
      if (onDelete === 'keep') continue
      const groups = targets.get(to) ?? []
      targets.set(to, groups)
      const group = groups.find((one) => one.collection === collection && one.onDelete === onDelete)
      if (group) group.paths.push(path)
      else groups.push({ collection, onDelete, paths: [path] })
    }
  }
  return targets
}

/** Adds the consequences of the rules. Returns the documents that they delete. */
async function followRules(ctx: Context, plan: Plan, followed: Followed): Promise<Level | undefined> {
  const { collection, onDelete } = followed
  if (onDelete === 'refuse') {
    plan.refusing.push(followed)
    return undefined
  }
  // The lock holds until the end of the transaction.
  if (!plan.locked.has(collection.id)) await requireCurrentRules(ctx, collection)
  plan.locked.add(collection.id)
  return consequences[onDelete](plan, followed, await findDocuments(ctx, plan, followed))
}

type Consequence = (plan: Plan, followed: Followed, found: readonly LinkingDocument[]) => Level | undefined

const consequences: Readonly<Record<Extract<OnDelete, 'delete' | 'unset'>, Consequence>> = {
  delete({ levels, isDeleted }, { collection }, found) {
    const ids = found.flatMap(({ id }) => (isDeleted.has(id) ? [] : [id]))
    if (ids.length === 0) return undefined
    for (const id of ids) isDeleted.add(id)
    const level = { collection, ids }
    levels.push(level)
    return level
  },
  unset({ unset }, { collection, paths, ids }, found) {
    const gone = new Set(ids)
    const links = paths.map((path) => ({ path, ids: gone }))
    const { documents } = unset.get(collection.id) ?? { documents: new Map<string, readonly Link[]>() }
    unset.set(collection.id, { collection, documents })
    for (const { id } of found) documents.set(id, [...(documents.get(id) ?? []), ...links])
    return undefined
  },
}

/** Finds and locks the documents that link to the records, except those that are deleted already. */
async function findDocuments(
  ctx: Context,
  { sizes: found, isDeleted }: Plan,
  followed: Followed,
): Promise<LinkingDocument[]> {
  const { collection } = followed
  const fresh = new Map<string, LinkingDocument>()
  for (const contained of containedValues(followed)) {
    // Documents that were found before do not count again, but the query returns them.
    const limit = sizes.maxPopulatedRecords + isDeleted.size + 1
    const documents = await lockContaining(ctx.db, collection.id, contained, limit)
    for (const document of documents) {
      if (isDeleted.has(document.id)) continue
      found.set(document.id, document.maxBytes)
      fresh.set(document.id, document)
    }
    if (found.size > sizes.maxPopulatedRecords) throw tooManyDependants('dependent records', sizes.maxPopulatedRecords)
  }
  return [...fresh.values()]
}

function* containedValues({ paths, ids }: Followed): Generator<readonly string[]> {
  let values: string[] = []
  for (const path of paths) {
    for (const id of ids) {
      values.push(JSON.stringify(containing(path, id)))
      if (values.length < maxPerQuery) continue
      yield values
      values = []
    }
  }
  if (values.length > 0) yield values
}

/** Refuses if documents link here that are not deleted too. @throws {SvcError} `DOCUMENT_IN_USE` */
async function requireUnused(ctx: Context, { refusing, isDeleted }: Plan): Promise<void> {
  const linking = new Map<string, Set<string>>()
  let isUsed = false
  for (const one of refusing) {
    const { all, readable } = await findUsing(ctx, isDeleted, one)
    isUsed ||= all.length > 0
    const { name } = one.collection
    if (readable.length > 0) linking.set(name, new Set([...(linking.get(name) ?? []), ...readable]))
  }
  if (isUsed) throw documentInUse([...linking].map(([name, ids]) => ({ name, documents: ids.size })))
}

/** Finds the documents that link to the records and stay, and those of them that the caller may read. */
async function findUsing(ctx: Context, isDeleted: ReadonlySet<string>, followed: Followed) {
  const { collection } = followed
  const grant = grantFor(ctx.caller, collection)
  const limit = sizes.maxPopulatedRecords + isDeleted.size + 1
  const all: string[] = []
  const readable: string[] = []
  for (const contained of containedValues(followed)) {
    const find = async (part?: Covered) => {
      const found = await selectContaining(ctx.db, collection.id, contained, { limit, part })
      return found.filter((id) => !isDeleted.has(id))
    }
    const using = await find()
    all.push(...using)
    if (grant.read === 'all') readable.push(...using)
    else if (grant.read !== 'none' && using.length > 0) readable.push(...(await find(partFor(grant, 'read'))))
    if (all.length > sizes.maxPopulatedRecords) break
  }
  return { all, readable }
}

/** Measures the documents exactly if their upper bounds exceed the limit, a part at a time. */
async function requireFewBytes(ctx: Context, { sizes: found }: Plan): Promise<void> {
  const most = sizes.maxAnswerBytes
  const all = [...found]
  if (sumOfSizes(all) <= most) return
  let bytes = 0
  for (const part of splitBySize(all, ([, maxBytes]) => maxBytes, most)) {
    bytes += await selectDataBytes(
      ctx.db,
      part.map(([id]) => id),
    )
    if (bytes > most) throw tooManyDependants('dependent bytes', most)
  }
}

function sumOfSizes(documents: readonly (readonly [string, number])[]): number {
  return documents.reduce((sum, [, maxBytes]) => sum + maxBytes, 0)
}

/** Splits items into parts, each below a size unless it has one item only. */
function* splitBySize<Item>(items: readonly Item[], measure: (item: Item) => number, most: number): Generator<Item[]> {
  let part: Item[] = []
  let size = 0
  for (const item of items) {
    if (part.length > 0 && (size + measure(item) > most || part.length === maxPerQuery)) {
      yield part
      part = []
      size = 0
    }
    part.push(item)
    size += measure(item)
  }
  if (part.length > 0) yield part
}

/** Limits the documents that are changed at once. All dependants together are below the limit of bytes. */
const maxChangesAtOnce = 250

/** Removes the links from the documents that stay. */
async function applyUnset(ctx: Context, { unset, isDeleted }: Plan): Promise<void> {
  for (const { collection, documents } of unset.values()) {
    const staying = [...documents].filter(([id]) => !isDeleted.has(id))
    for (const part of splitBySize(staying, () => 1, maxChangesAtOnce)) {
      await unsetLinks(ctx, collection, new Map(part))
    }
  }
}

async function unsetLinks(ctx: Context, collection: Unset['collection'], links: ReadonlyMap<string, readonly Link[]>) {
  const pauses = openPauses()
  const locked = await lockDocuments(ctx.db, collection, [...links.keys()])
  const rules = listUniqueRules(collection)
  const rows: NewData[] = []
  const changed: { id: string; before: StoredDocument; claims: readonly Claim[] }[] = []
  for (const [id, before] of locked) {
    const gone = links.get(id) ?? []
    const fields = gone.reduce((rest, { path, ids }) => withoutLinks(rest, path, ids), parseFields(before))
    changed.push({ id, before, claims: listClaims(rules, fields) })
    const json = JSON.stringify(fields)
    rows.push({ id, json, values: maxValuesIn(fields, json) })
    const pause = pauses.after(json.length)
    if (pause) await pause
  }
  if (rows.length === 0) return
  await changeUniqueValues(ctx, collection, changed, await planValues(collection, changed))
  const here = place(ctx, collection, ctx.backend.now(ctx.project.id))
  await publishRecorded(ctx, () => updateDocumentData(ctx.db, here, rows))
}

function tooManyDependants(limit: LimitName, most: number): SvcError {
  const figure = limit === 'dependent bytes' ? formatBytes(most) : `${formatCount(most)} documents`
  const message =
    limit === 'dependent lookups'
      ? `It takes more than ${formatCount(most)} steps to find all documents that link here. Delete some of those first.`
      : `This would delete or change more than ${figure} that link here. Delete those first.`
  return new SvcError('RESULT_TOO_LARGE', message, [], { reason: { kind: 'limit', limit, most } })
}
