/** Keeps the values of unique fields apart when documents are written, and when rules or whole states change. Contract 13.2. */
import type { StoredCollection } from '../../client/protocol/model/collection.js'
import { parseFields, type StoredDocument } from '../../client/protocol/model/document.js'
import { type Issue, SvcError } from '../../client/protocol/model/errors.js'
import type { Database } from '../database/port.js'
import { selectRuledCollections } from '../store/collections.js'
import type { NewData } from '../store/documents.js'
import { disableTimeouts } from '../store/snapshots/registry.js'
import {
  type Claim,
  fingerprintRules,
  listClaims,
  listUniqueRules,
  type Ruled,
  type UniqueRule,
} from '../store/unique-rules.js'
import {
  changeValues,
  deleteValues,
  findTaken,
  hasOtherRules,
  insertStoredValues,
  type Offender,
  updateRules,
  type ValueChanges,
  type ValueOfDocument,
} from '../store/unique-values.js'
import type { Context } from './context.js'
import { openPauses } from './pauses.js'
import { settingsChanged } from './unit-of-work.js'

type Named = Ruled & Pick<StoredCollection, 'id' | 'name'>

/** Chosen by us: each rule stores a value for every document. */
const maxRules = 20
/** Documents named in an error. Contract 13.2. */
const maxOffenders = 10
const maxAttempts = 3

/** Thrown by a write that used old rules. `withCurrentRules` catches it. */
class OldRules extends SvcError {
  constructor() {
    super('UNAVAILABLE', 'The unique fields of the collection are changing. Try again.', [], { retryAfterSeconds: 1 })
  }
}

/** Runs a write, and again if the unique rules of its collection have changed since it read them. */
export async function withCurrentRules<Result>(
  { backend }: Pick<Context, 'backend'>,
  write: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof OldRules) || attempt === maxAttempts) throw error
      await backend.bus.publish([settingsChanged()])
    }
  }
}

/**
 * Refuses old rules, and blocks changes of them until the transaction ends. Call it after a write that found no collection
 * or no document, or before one that does not check the rules itself.
 */
export async function requireCurrentRules({ db }: Pick<Context, 'db'>, collection: Named): Promise<void> {
  if (await hasOtherRules(db, collection)) throw new OldRules()
}

type ClaimingDocument = Pick<NewData, 'claims'>

/**
 * Refuses documents of one batch that take the same value.
 *
 * @throws {SvcError} `DUPLICATE_VALUE`
 */
export function requireDistinct(collection: Named, documents: readonly ClaimingDocument[]): void {
  const taken = new Set<string>()
  for (const [at, { claims = [] }] of documents.entries()) {
    for (const { rule, digest } of claims) {
      const value = `${digest} ${rule}`
      if (taken.has(value)) throw duplicateValue(collection, rule, documents.length > 1 ? [at] : [])
      taken.add(value)
    }
  }
}

/**
 * Names the fields whose values are taken, if a write failed for that.
 *
 * @param placeFor the path of a document in the request
 * @throws {SvcError} `DUPLICATE_VALUE`, or the error itself
 */
export async function refusingDuplicates<Value extends Claim, Result>(
  collection: Named,
  claimed: readonly Value[],
  placeFor: (value: Value) => Issue['path'],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const taken = findTaken(error, claimed)
    throw taken ? duplicateValue(collection, taken.rule, placeFor(taken), error) : error
  }
}

/** The error of a write whose value another document has. */
export function duplicateValue(collection: Named, rule: string, place: Issue['path'], cause?: unknown): SvcError {
  const fields = findFields(collection, rule)
  const message = `Another document in "${collection.name}" already has this value of ${quoted(fields)}.`
  const issues = fields.map((field) => ({
    path: [...place, field],
    message: `"${field}" is already taken by another document`,
    type: 'unique',
  }))
  return new SvcError('DUPLICATE_VALUE', message, issues, {
    reason: { kind: 'duplicate', collection: collection.name, fields },
    cause,
  })
}

function findFields(collection: Ruled, key: string): readonly string[] {
  return listUniqueRules(collection).find((rule) => rule.key === key)?.fields ?? []
}

function quoted(fields: readonly string[]): string {
  return fields.map((field) => `"${field}"`).join(' and ')
}

/** The cost of the digests of a document with short values, in parsed bytes that take as long. */
export function workOfClaims(rules: readonly UniqueRule[]): number {
  return rules.length * 512
}

/** A document before a change, and the values that it has after it. */
interface ChangedDocument extends ClaimingDocument {
  readonly id: string
  readonly before: StoredDocument
}

/**
 * Compares the values of documents before and after a change. Only those that differ are checked.
 *
 * @throws {SvcError} `DUPLICATE_VALUE` for two documents with the same value
 */
export async function planValues(collection: Named, documents: readonly ChangedDocument[]): Promise<ValueChanges> {
  const rules = listUniqueRules(collection)
  if (rules.length === 0) return noChanges
  const released: ValueOfDocument[] = []
  const claimed: ValueOfDocument[][] = []
  const pauses = openPauses()
  for (const { id: document, before, claims: after = [] } of documents) {
    const claims = listClaims(rules, parseFields(before))
    released.push(...without(claims, after).map((claim) => ({ ...claim, document })))
    claimed.push(without(after, claims).map((claim) => ({ ...claim, document })))
    const pause = pauses.after(before.data.text.length + workOfClaims(rules))
    if (pause) await pause
  }
  requireDistinct(
    collection,
    claimed.map((claims) => ({ claims })),
  )
  return { released, claimed: claimed.flat() }
}

const noChanges: ValueChanges = { released: [], claimed: [] }

function without(some: readonly Claim[], others: readonly Claim[]): readonly Claim[] {
  return some.filter(({ rule, digest }) => !others.some((other) => other.rule === rule && other.digest === digest))
}

/**
 * Gives up and takes the planned values of locked documents, before these are written in the same transaction.
 *
 * @throws {SvcError} `DUPLICATE_VALUE`
 */
export async function changeUniqueValues(
  { db }: Pick<Context, 'db'>,
  collection: Named,
  documents: readonly { readonly id: string }[],
  values: ValueChanges,
): Promise<void> {
  const ids = documents.map(({ id }) => id)
  const placeFor = ({ document }: ValueOfDocument) => (ids.length > 1 ? [ids.indexOf(document)] : [])
  await refusingDuplicates(collection, values.claimed, placeFor, () => changeValues(db, collection.id, values))
}

/** @throws {SvcError} `VALIDATION_ERROR` */
export function requireRuleCount(collection: Ruled): void {
  const actual = listUniqueRules(collection).length
  if (actual <= maxRules) return
  const message = `can have at most ${maxRules} unique fields and groups`
  throw new SvcError('VALIDATION_ERROR', `A collection ${message}.`, [{ path: ['schema'], message, type: 'length' }])
}

/**
 * Takes the values of stored documents for new rules, and gives up those of old ones. Call in the transaction that
 * stores the new rules. Other writers of the collection wait for it.
 *
 * @throws {SvcError} `DUPLICATE_VALUE` with the first documents that share a value
 */
export async function applyRules(tx: Database, before: Named, after: Named): Promise<void> {
  if (fingerprintRules(before) === fingerprintRules(after)) return
  requireRuleCount(after)
  await updateRules(tx, after)
  const [old, current] = [listUniqueRules(before), listUniqueRules(after)]
  const dropped = old.filter(({ key }) => !current.some((rule) => rule.key === key))
  if (dropped.length > 0) await deleteValues(tx, after.id, toKeys(dropped))
  await takeStoredValues(
    tx,
    after,
    current.filter(({ key }) => !old.some((rule) => rule.key === key)),
  )
}

/**
 * Takes the values of documents again, after the state of their project was replaced. Call in a transaction that locks
 * writers out.
 *
 * @param touched ids of the collections whose rules or documents may differ. Default: all of the project
 * @throws {SvcError} `DUPLICATE_VALUE`
 */
export async function rebuildUniqueValues(tx: Database, project: string, touched?: ReadonlySet<string>): Promise<void> {
  for (const collection of await selectRuledCollections(tx, project)) {
    if (touched && !touched.has(collection.id)) continue
    await updateRules(tx, collection)
    await deleteValues(tx, collection.id, 'all')
    await takeStoredValues(tx, collection, listUniqueRules(collection))
  }
}

async function takeStoredValues(tx: Database, collection: Named, rules: readonly UniqueRule[]): Promise<void> {
  if (rules.length === 0) return
  await disableTimeouts(tx)
  const pauses = openPauses()
  const afterWork = (work: number) => pauses.after(work + workOfClaims(rules))
  const offenders = await insertStoredValues(tx, collection.id, rules, { maxOffenders, afterWork })
  if (offenders.length > 0) throw storedDuplicates(collection, offenders)
}

function storedDuplicates(collection: Named, offenders: readonly Offender[]): SvcError {
  const fields = [...new Set(offenders.flatMap(({ rule }) => findFields(collection, rule)))]
  const issues = offenders.map(({ rule, document, holder }) => ({
    path: placeOfRule(collection, rule),
    message: `document "${document}" has the same value as "${holder}"`,
    type: 'unique',
  }))
  const ids = offenders.map(({ document }) => document).join(', ')
  const message = `Documents in "${collection.name}" share values of ${quoted(fields)}. Change or delete them first: ${ids}.`
  return new SvcError('DUPLICATE_VALUE', message, issues, {
    reason: { kind: 'duplicate', collection: collection.name, fields, documents: offenders.map((one) => one.document) },
  })
}

/** The place of a rule in the body that sets it. */
function placeOfRule(collection: Ruled, key: string): Issue['path'] {
  const fields = findFields(collection, key)
  const [only, ...others] = fields
  if (only !== undefined && others.length === 0) return ['schema', only, 'unique']
  const at = (collection.unique ?? []).findIndex((names) => names.every((name) => fields.includes(name)))
  return at < 0 ? ['unique'] : ['unique', at]
}

function toKeys(rules: readonly UniqueRule[]): string[] {
  return rules.map(({ key }) => key)
}
