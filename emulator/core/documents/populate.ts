import {
  type Schema,
  type StoredCollection,
  usersWord,
  type ValueRule,
} from '../../../client/protocol/model/collection.js'
import {
  isId,
  LinkedRecord,
  type ListedDocument,
  type PopulatedValue,
  type StoredDocument,
  type StoredUser,
} from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { isObject, type Json, type JsonObject, JsonText, setOwn } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { LinkNames, RecordQuery } from '../../../client/protocol/model/page.js'
import type { Path } from '../../../client/protocol/model/path.js'
import type { LimitName } from '../../../client/protocol/model/requests/reason.js'
import { selectUsersById } from '../../store/accounts/users.js'
import { type FoundRecord, selectRecords } from '../../store/documents.js'
import { withoutFields } from '../access/closed-fields.js'
import { allows, type Grant, grantFor, type Memberships, noMemberships } from '../access/grant.js'
import { findMemberships, membershipsIn } from '../access/memberships.js'
import { mayReadUsers } from '../access/scopes.js'
import { findCollection } from '../collections/collections.js'
import type { Context } from '../context.js'
import { openPauses, type Pauses } from '../pauses.js'
import {
  type Branches,
  buildSelection,
  cutToSelected,
  type Selected,
  selectedBelow,
  selectFields,
} from './selecting.js'

type Stored = ListedDocument | StoredUser

/** A record with linked records in its fields, or as stored if no path leads into it. */
type Populated<Record> = Omit<Record, 'data'> & Pick<LinkedRecord['record'], 'data'>

/** Fields that are being populated, copied for each document. Values that no path leads through become text again. */
type Draft = { [field: string]: PopulatedValue }

/** Drafts, and how often each appears in the answer. */
type Holders = Map<Draft, number>

/** Counts how large the answer is so far. Contract 10.10. */
interface Growth {
  records: number
  bytes: number
  /** Ids that were looked up, found or not. */
  lookups: number
  /** Fields of drafts and items of their arrays, each now a separate value in memory. */
  values: number
}

interface Work {
  readonly ctx: Context
  readonly growth: Growth
  readonly pauses: Pauses
  /** Grants by collection and permissions, because many records share one. */
  readonly grants: Map<string, LinkGrant>
  /** Schemas by id of the collection; undefined without rules. */
  readonly schemas: Map<string, Schema | undefined>
  /** Rules for the fields of drafts. A draft without rules is missing. */
  readonly rules: WeakMap<Draft, Schema>
  /** The names of the fields with the ids of a link. Undefined if a link and its field have the same name. */
  readonly links: LinkNames | undefined
  /** The fields of drafts that contain the ids of another field. */
  readonly borrowed: WeakMap<Draft, Borrowed>
}

/** By link: the field that the ids come from, and the value that they stand in for. */
type Borrowed = ReadonlyMap<string, { readonly from: string; readonly former: Json | undefined }>

type LinkGrant = Grant<Pick<StoredCollection, 'name' | 'permissions'>>

/** The most ids per query. More ids take more queries. */
const maxPerQuery = 1_000

/** The limits on the growth of an answer. */
const limits: readonly { readonly part: keyof Growth; readonly limit: LimitName; readonly most: number }[] = [
  { part: 'records', limit: 'populated records', most: sizes.maxPopulatedRecords },
  { part: 'bytes', limit: 'answer bytes', most: sizes.maxAnswerBytes },
  // Our choice: ids that are not found cost a lookup too, so lookups have their own limit.
  { part: 'lookups', limit: 'looked up ids', most: 2 * sizes.maxPopulatedRecords },
  // Our choice: larger than any one document, and small enough for the memory of a request.
  { part: 'values', limit: 'populated values', most: 500_000 },
]

/**
 * Replaces ids with the records they link to, level by level. An id stays if its record doesn't exist or the caller may not
 * read it. Each record is loaded and held once. Before the next level loads, counts how often each record appears and how large
 * that makes the answer. Only `select`ed fields are loaded and returned. Contract 4.6, 10.10 and 13.4.
 *
 * @param measured receives the bytes of all records where links are followed, even if they are too many
 * @throws {SvcError} `RESULT_TOO_LARGE`
 */
export async function populate<Holder extends Stored>(
  ctx: Context,
  records: readonly Holder[],
  { populate: paths, select, links }: RecordQuery,
  measured?: (bytes: number) => void,
): Promise<readonly Populated<Holder>[]> {
  if ((paths.length === 0 && select.length === 0) || records.length === 0) return records
  const work: Work = {
    ctx,
    growth: { records: 0, bytes: 0, lookups: 0, values: 0 },
    pauses: openPauses(),
    grants: new Map(),
    schemas: new Map(),
    rules: new WeakMap(),
    links,
    borrowed: new WeakMap(),
  }
  const selected = buildSelection(select)
  const branches = buildBranches(paths.flatMap((path) => cutToSelected(selected, path)))
  const holders: Holders = new Map()
  const drafts: Populated<Holder>[] = []
  try {
    for (const record of records) {
      const { data, draft } = await openRecord(work, record, { selected, branches }, 1)
      if (draft) holders.set(draft, 1)
      drafts.push({ ...record, data: draft ?? data })
    }
    await link(work, holders, branches, selected)
  } finally {
    if (paths.length > 0) measured?.(work.growth.bytes)
  }
  return drafts
}

async function link(work: Work, holders: Holders, branches: Branches, selected: Selected): Promise<void> {
  for (const [field, deeper] of branches) {
    const wanted = await idsAt(work, holders, field)
    const below: Holders = new Map()
    const within = selectedBelow(selected, field)
    const linked = await load(work, wanted, { deeper, within }, below)
    for (const [draft, times] of holders) {
      const value = readField(draft, field)
      if (deeper.size > 0) countDrafts(below, value, times)
      replaceIds(work, draft, field, linked)
      const pause = work.pauses.after((Array.isArray(value) ? value.length : 1) * workOfAnId)
      if (pause) await pause
    }
    if (below.size > 0) await link(work, below, deeper, within)
  }
}

/** Adds the drafts in a field's value, and how often they appear in the answer. */
function countDrafts(below: Holders, value: PopulatedValue | undefined, times: number): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (isDraft(item)) below.set(item, (below.get(item) ?? 0) + times)
  }
}

/** Puts the linked records in place of their ids. */
function replaceIds(work: Work, draft: Draft, field: string, linked: ReadonlyMap<string, LinkedRecord>): void {
  const value = readField(draft, field)
  if (value === undefined) return
  const replaced = substitute(value, linked, findTarget(work, draft, field))
  draft[field] = replaced
  if (!isResolved(replaced)) giveBack(work, draft, field)
}

/** Returns the ids in one field of all drafts, and how often each appears in the answer. */
async function idsAt({ growth, pauses }: Work, holders: Holders, field: string): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map<string, number>()
  for (const [draft, times] of holders) {
    const ids = idsIn(readField(draft, field))
    for (const id of ids) wanted.set(id, (wanted.get(id) ?? 0) + times)
    requireSmall({ ...growth, lookups: growth.lookups + wanted.size })
    const pause = pauses.after((ids.length + 1) * workOfAnId)
    if (pause) await pause
  }
  return wanted
}

/** The cost of finding and replacing an id, in parsed bytes that take as long. */
const workOfAnId = 32

/** Loads each linked record once. Adds drafts to `below` for those that get populated themselves. */
async function load(
  work: Work,
  wanted: ReadonlyMap<string, number>,
  { deeper, within }: { readonly deeper: Branches; readonly within: Selected },
  below: Holders,
): Promise<ReadonlyMap<string, LinkedRecord>> {
  const { ctx, growth } = work
  const linked = new Map<string, LinkedRecord>()

  async function take(record: Stored): Promise<void> {
    const times = wanted.get(record.id) ?? 0
    growth.records += times
    const { data, draft } = await openRecord(work, record, { selected: within, branches: deeper }, times)
    if (draft) below.set(draft, times)
    linked.set(record.id, new LinkedRecord({ ...record, data: draft ?? data }))
  }

  const ids = [...wanted.keys()]
  growth.lookups += ids.length
  requireSmall(growth)
  while (ids.length > 0) {
    const piece = ids.splice(-maxPerQuery)
    const { records, others } = await selectRecords(ctx.db, ctx.project.id, piece)
    const memberships = await findAllMemberships(work, records)
    for (const record of records) {
      const { document } = record
      const grant = grantIn(work, document.collection, record.permissions)
      if (allows(grant, 'read', document, memberships)) await take(withoutFields(document, grant.hidden))
    }
    ids.push(...others)
    if (records.length + others.length === piece.length || !mayReadUsers(ctx.caller)) continue
    for (const user of await selectUsersById(ctx.db, ctx.project.id, piece)) await take(user)
  }
  return linked
}

/** Finds the caller's memberships in all records, with at most one query for each collection that needs it. */
async function findAllMemberships(work: Work, records: readonly FoundRecord[]): Promise<Memberships> {
  const groups = new Map<string, { grant: LinkGrant; documents: StoredDocument[] }>()
  for (const { document, permissions } of records) {
    const grant = grantIn(work, document.collection, permissions)
    if (membershipsIn(grant).length === 0) continue
    const group = groups.get(document.collectionId) ?? { grant, documents: [] }
    group.documents.push(document)
    groups.set(document.collectionId, group)
  }
  if (groups.size === 0) return noMemberships
  const found: [string, ReadonlySet<string>][] = []
  for (const [id, { grant, documents }] of groups) {
    found.push(...(await findMemberships(work.ctx.db, { ...grant, collection: { id } }, documents)))
  }
  return new Map(found)
}

function grantIn({ ctx, grants }: Work, name: string, permissions: string): LinkGrant {
  const key = JSON.stringify([name, permissions])
  const grant = grants.get(key) ?? grantFor(ctx.caller, { name, permissions: JSON.parse(permissions) })
  grants.set(key, grant)
  return grant
}

/** Opens a record, with the ids of its links in the fields that the records are put into. */
async function openRecord(
  work: Work,
  record: Stored,
  { selected, branches }: { readonly selected: Selected; readonly branches: Branches },
  times: number,
): Promise<{ data: JsonText; draft: Draft | undefined }> {
  const { data: whole, borrowed } = await borrowIds(work, record.data, branches)
  const data = await selectData(work, whole, selected, branches)
  const draft = await openDraft(work, { ...record, data }, branches, times)
  if (draft && borrowed) work.borrowed.set(draft, borrowed)
  return { data, draft }
}

/** Copies ids from the fields that the dialect names, such as `author_id`. The first field that is not empty decides. */
async function borrowIds(
  { links, pauses }: Work,
  data: JsonText,
  branches: Branches,
): Promise<{ data: JsonText; borrowed?: Borrowed }> {
  if (!links || branches.size === 0) return { data }
  const fields = data.toJSON() as JsonObject
  await pauses.after(data.text.length)
  const borrowed = new Map<string, { from: string; former: Json | undefined }>()
  const whole = { ...fields }
  for (const link of branches.keys()) {
    const from = links(link).find((name) => Object.hasOwn(fields, name) && !isEmpty(fields[name]))
    const ids = from === undefined ? undefined : fields[from]
    if (from === undefined || from === link || idsIn(ids).length === 0) continue
    borrowed.set(link, { from, former: Object.hasOwn(fields, link) ? fields[link] : undefined })
    setOwn(whole, link, ids ?? null)
  }
  if (borrowed.size === 0) return { data }
  await pauses.after(data.text.length)
  return { data: new JsonText(JSON.stringify(whole)), borrowed }
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function isResolved(value: PopulatedValue): boolean {
  return Array.isArray(value)
    ? value.some((item: PopulatedValue) => typeof item !== 'string')
    : typeof value !== 'string'
}

/** Restores a field whose borrowed ids lead to no record. */
function giveBack({ borrowed }: Work, draft: Draft, field: string): void {
  const lent = borrowed.get(draft)?.get(field)
  if (!lent) return
  if (lent.former === undefined) delete draft[field]
  else draft[field] = asText(lent.former)
}

async function selectData({ pauses }: Work, data: JsonText, selected: Selected, links: Branches): Promise<JsonText> {
  if (!selected) return data
  await pauses.after(2 * data.text.length)
  return selectFields(data, selected, links)
}

/** Opens the fields of a record as a draft. Returns undefined if no path leads to an id. */
async function openDraft(work: Work, record: Stored, branches: Branches, times: number): Promise<Draft | undefined> {
  const { growth, pauses } = work
  const { data } = record
  growth.bytes += times * Buffer.byteLength(data.text)
  requireSmall(growth)
  if (branches.size === 0) return undefined
  const fields = data.toJSON() as JsonObject
  await pauses.after(data.text.length)
  const draft = openObject(work, fields, branches, await findSchema(work, record))
  requireSmall(growth)
  await pauses.after(data.text.length)
  return draft
}

function requireSmall(growth: Growth): void {
  const passed = limits.find(({ part, most }) => growth[part] > most)
  if (!passed) return
  const { limit, most } = passed
  throw plainError('RESULT_TOO_LARGE', { reason: { kind: 'limit', limit, most } })
}

/**
 * Copies fields so that only values on a branch are opened. Returns undefined if no branch leads to an id: such objects need no
 * draft, however many there are.
 */
function openObject(work: Work, fields: JsonObject, branches: Branches, schema?: Schema): Draft | undefined {
  let opened: Map<string, PopulatedValue> | undefined
  for (const [field, deeper] of branches) {
    const value = Object.hasOwn(fields, field)
      ? openValue(work, fields[field] ?? null, deeper, findRule(schema, field))
      : undefined
    if (value !== undefined) opened = (opened ?? new Map()).set(field, value)
  }
  if (!opened) return undefined
  const draft: Draft = {}
  for (const [field, value] of Object.entries(fields)) {
    work.growth.values++
    const drafted = opened.get(field) ?? asText(value)
    if (field === '__proto__') setOwn(draft as never, field, drafted as never)
    else draft[field] = drafted
  }
  if (schema) work.rules.set(draft, schema)
  return draft
}

/** Opens a value that is an id or contains ids. */
function openValue(work: Work, value: Json, deeper: Branches, rule?: ValueRule): PopulatedValue | undefined {
  if (typeof value === 'string') return isId(value) ? value : undefined
  if (Array.isArray(value)) return openItems(work, value, deeper, rule?.items)
  return isObject(value) && deeper.size > 0 ? openObject(work, value, deeper, rule?.fields) : undefined
}

/** Paths don't lead through arrays within arrays. */
function openItems(work: Work, items: readonly Json[], deeper: Branches, rule?: ValueRule): PopulatedValue | undefined {
  const opened = items.map((item) => (Array.isArray(item) ? undefined : openValue(work, item, deeper, rule)))
  if (opened.every((item) => item === undefined)) return undefined
  work.growth.values += items.length
  return items.map((item, at) => opened[at] ?? asText(item))
}

/** Converts a value to text, which takes far less memory. Scalars stay as they are. */
function asText(value: Json): Json | JsonText {
  return typeof value === 'object' && value !== null ? new JsonText(JSON.stringify(value)) : value
}

/** @param to the only collection whose records the ids lead to, or `users`; undefined for all */
function substitute(value: PopulatedValue, records: ReadonlyMap<string, LinkedRecord>, to?: string): PopulatedValue {
  const resolve = (id: string) => {
    const found = records.get(id)
    return found && (to === undefined || to === findHome(found)) ? found : id
  }
  if (typeof value === 'string') return resolve(value)
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? resolve(item) : item))
  return value
}

function findHome({ record }: LinkedRecord): string {
  return 'collectionId' in record ? record.collectionId : usersWord
}

/** Finds the collection that the links in a field lead to. Contract 13.1. */
function findTarget({ rules, borrowed }: Work, draft: Draft, field: string): string | undefined {
  const rule = findRule(rules.get(draft), borrowed.get(draft)?.get(field)?.from ?? field)
  return rule?.to ?? rule?.items?.to
}

function findRule(schema: Schema | undefined, field: string): ValueRule | undefined {
  return schema && Object.hasOwn(schema, field) ? schema[field] : undefined
}

/** Returns the schema of a document's collection. Users have none. */
async function findSchema({ ctx, schemas }: Work, record: Stored): Promise<Schema | undefined> {
  if (!('collectionId' in record)) return undefined
  const { collectionId: id } = record
  if (!schemas.has(id)) schemas.set(id, (await findCollection(ctx, id))?.schema)
  return schemas.get(id)
}

function readField(draft: Draft, field: string): PopulatedValue | undefined {
  return Object.hasOwn(draft, field) ? draft[field] : undefined
}

function idsIn(value: PopulatedValue | undefined): string[] {
  if (typeof value === 'string') return isId(value) ? [value] : []
  if (Array.isArray(value)) return value.filter((item): item is string => typeof item === 'string' && isId(item))
  return []
}

function buildBranches(paths: readonly Path[]): Branches {
  const root: Branches = new Map()
  for (const path of paths) {
    let branches = root
    for (const segment of path) {
      const deeper: Branches = branches.get(segment) ?? new Map()
      branches.set(segment, deeper)
      branches = deeper
    }
  }
  return root
}

function isDraft(value: PopulatedValue | undefined): value is Draft {
  const isOther = value instanceof LinkedRecord || value instanceof JsonText || Array.isArray(value)
  return typeof value === 'object' && value !== null && !isOther
}
