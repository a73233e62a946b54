/** What every write of documents does, whether one is written or many: checks them, writes them as text, publishes, answers. */
import type { StoredCollection } from '../../../client/protocol/model/collection.js'
import type { Fields, StoredDocument } from '../../../client/protocol/model/document.js'
import { plainError } from '../../../client/protocol/model/error-words.js'
import { type Issue, placed, SvcError } from '../../../client/protocol/model/errors.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import { schemaCheck, schemaDefaults } from '../../../client/protocol/model/schema.js'
import type { Message } from '../../ports/bus/port.js'
import { insertDocuments, type NewData, type WriteTarget, type Written } from '../../store/documents.js'
import { visibleTo } from '../access/closed-fields.js'
import { allows, type Grant } from '../access/grant.js'
import type { Context } from '../context.js'
import { openPauses } from '../pauses.js'
import { publishing } from '../unit-of-work.js'
import { mostValuesIn, requireLight } from './weight.js'

/** The versions a write may meet, from `if-match`; left out, any will do. Contract 3.8. */
export type VersionGuard = readonly number[] | 'any'

/** @throws {SvcError} `CONFLICT` */
export function requireVersion(
  grant: Grant,
  document: Pick<StoredDocument, 'id' | 'version' | 'createdBy'>,
  guard: VersionGuard,
): void {
  const { id, version } = document
  if (guard === 'any' || guard.includes(version)) return
  const now = allows(grant, 'read', document) ? `: it is at version ${version}` : ''
  const reason: Reason = {
    ...{ kind: 'version', collection: grant.collection.name, document: id },
    ...{ expected: guard, actual: version },
  }
  throw new SvcError('CONFLICT', `Document "${id}" has changed since${now}.`, [], { reason })
}

/** Returns written documents without hidden fields, and empty ones to a caller who cannot read them. Contract 5.3. */
export async function shownTo(grant: Grant, documents: readonly StoredDocument[]): Promise<StoredDocument[]> {
  const visible = await visibleTo(grant, documents)
  if (grant.read === 'all') return [...visible]
  return visible.map((document) =>
    allows(grant, 'read', document) ? document : { ...document, data: new JsonText('{}') },
  )
}

/** The fields of each item as JSON text, once they have been checked, and a few of them in a turn of the event loop. */
export async function textsOf<Item>(
  { name, schema }: Pick<StoredCollection, 'name' | 'schema'>,
  items: readonly Item[],
  fieldsFor: (item: Item) => Fields,
): Promise<{ item: Item; text: Omit<NewData, 'id'> }[]> {
  const texts: { item: Item; text: Omit<NewData, 'id'> }[] = []
  const isOneOfMany = items.length > 1
  const check = schemaCheck(schema)
  const workOfSchema = Object.keys(schema).length * workOfARule
  const issues: Issue[] = []
  const pauses = openPauses()
  let bytes = 0
  for (const [at, item] of items.entries()) {
    if (issues.length >= sizes.maxIssues) break
    const fields = indexed(isOneOfMany ? [at] : [], () => fieldsFor(item))
    const found = check(fields)
    issues.push(...(isOneOfMany ? found.map((issue) => ({ ...issue, path: [at, ...issue.path] })) : found))
    const text = JSON.stringify(fields)
    bytes += bytesInAnswer(text)
    requireAnswerable(bytes)
    texts.push({ item, text: { json: text, values: mostValuesIn(fields, text) } })
    const pause = pauses.after(text.length + workOfSchema)
    if (pause) await pause
  }
  if (issues[0]) throw schemaRefuses(name, issues.slice(0, sizes.maxIssues))
  return texts
}

/** To hold a document against one field of a schema takes as long as to parse this many bytes. */
const workOfARule = 32

function schemaRefuses(collection: string, issues: readonly Issue[]): SvcError {
  const fields = [...new Set(issues.map(({ path }) => String(path.at(-1))))]
  const reason: Reason = { kind: 'schema', collection, fields }
  return new SvcError('VALIDATION_ERROR', `${issues[0]?.message}.`, issues, { reason })
}

/** What is wrong with one of several, by its index. */
function indexed(place: Issue['path'], read: () => Fields): Fields {
  try {
    return read()
  } catch (error) {
    throw placed(error, (path) => [...place, ...path])
  }
}

/** What completes documents by the defaults of a schema, which can make them heavier than what was sent. */
export function completing({ schema }: Pick<StoredCollection, 'schema'>): (fields: Fields) => Fields {
  const complete = schemaDefaults(schema)
  return (fields) => {
    const whole = complete(fields)
    if (whole !== fields) requireLight(whole)
    return whole
  }
}

/** What completes documents that are replaced: a default satisfies `required`, and fills in for nothing else. Contract 5.2. */
export function completingWhole(
  { schema }: Pick<StoredCollection, 'schema'>,
  isWhole: boolean,
): (fields: Fields) => Fields {
  if (!isWhole) return (fields) => fields
  return schemaDefaults(Object.fromEntries(Object.entries(schema).filter(([, rule]) => rule.required)))
}

/** A write answers what it wrote: more than an answer may hold is not written. Contract 10.10. */
export function requireAnswerable(bytes: number): void {
  if (bytes <= sizes.maxAnswerBytes) return
  const reason: Reason = { kind: 'limit', limit: 'answer bytes', most: sizes.maxAnswerBytes, actual: bytes }
  throw plainError('RESULT_TOO_LARGE', { reason })
}

export function bytesInAnswer(text: string): number {
  return Buffer.byteLength(text) + mostEnvelopeBytes
}

/** What stands around the data of a document at most: its id, times and collection. */
const mostEnvelopeBytes = 512

/** Publishes the changes that a write has recorded: none where it found no document as it should be. */
export function recording<Recorded extends Pick<Written, 'seq'>>(ctx: Context, write: () => Promise<Recorded>) {
  const project = ctx.project.id
  const changesOf = (recorded?: Recorded): Message | undefined => {
    if (recorded && recorded.seq === null) return undefined
    return { kind: 'changes', project, seq: typeof recorded?.seq === 'number' ? recorded.seq : null }
  }
  return publishing(ctx, changesOf, write)
}

export function place(ctx: Context, collection: StoredCollection, now: Date): WriteTarget {
  return { project: ctx.project.id, collection, at: now.toISOString() }
}

/** Inserts documents in one statement; none if the collection is gone. */
export async function insertAll(
  ctx: Context,
  collection: StoredCollection,
  texts: readonly Omit<NewData, 'id'>[],
): Promise<StoredDocument[]> {
  const now = ctx.backend.now(ctx.project.id)
  const rows = texts.map((text) => ({ id: ctx.backend.newId(now), ...text }))
  const { documents } = await recording(ctx, () => insertDocuments(ctx.db, place(ctx, collection, now), rows))
  return documents
}
