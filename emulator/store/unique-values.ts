/**
 * Stores the values of unique fields, as parts of the statements that write documents. A primary key keeps two
 * documents from having the same value, whatever runs at the same time.
 */
import { type Database, DatabaseError, type Fragment, joinSql, nothing, sql, writing } from '../database/port.js'
import { maxTextBytes } from './sql-fragments.js'
import { type Claim, fingerprintRules, listClaims, type Ruled, type UniqueRule } from './unique-rules.js'

/** Whether writers of a collection, with its count in `document_counts`, follow the unique rules that the caller knows. */
export function followsRules(collection: Ruled): Fragment {
  return sql`unique_rules = ${fingerprintRules(collection)}`
}

/** A value, and the document that takes it or gives it up. */
export interface ValueOfDocument extends Claim {
  readonly document: string
}

/** Values to give up and to take, in the statement that writes their documents. */
export interface ValueChanges {
  readonly released: readonly ValueOfDocument[]
  readonly claimed: readonly ValueOfDocument[]
}

/**
 * Inserts the values of documents if `holder` has a row. Inserts them in order, because statements that wait for each
 * other's values in different orders would deadlock.
 */
export function claimedValues(collection: string, claimed: readonly ValueOfDocument[], holder: Fragment): Fragment {
  if (claimed.length === 0) return nothing
  return writing(sql`, claimed as (
      insert into unique_values (collection_id, rule, digest, document_id)
      select ${collection}::uuid, claim.rule, decode(claim.digest, 'hex'), claim.document_id
      from ${asRows(claimed)}
      where exists (select from ${holder})
      order by claim.place
    )`)
}

/** Deletes the values that a document gives up if `holder` has a row. */
export function releasedValues(collection: string, released: readonly ValueOfDocument[], holder: Fragment): Fragment {
  if (released.length === 0) return nothing
  return sql`, released as (
      delete from unique_values v
      using ${asRows(released)}
      where ${isClaimed(collection)} and exists (select from ${holder})
    )`
}

/** Deletes all values of the documents in `deleted`. */
export function freedValues(collection: Ruled, deleted: Fragment): Fragment {
  if (fingerprintRules(collection) === '') return nothing
  return sql`, freed as (delete from unique_values v using ${deleted} as gone where v.document_id = gone.id)`
}

/** Changes the values of documents that are written later in the transaction. Frees first, so that two can swap. */
export async function changeValues(tx: Database, collection: string, changes: ValueChanges): Promise<void> {
  const { released, claimed } = changes
  if (released.length > 0) {
    await tx.query(sql`delete from unique_values v using ${asRows(released)} where ${isClaimed(collection)}`)
  }
  if (claimed.length > 0) {
    await tx.query(
      writing(sql`
      insert into unique_values (collection_id, rule, digest, document_id)
      select ${collection}::uuid, claim.rule, decode(claim.digest, 'hex'), claim.document_id
      from ${asRows(claimed)}
      order by claim.place`),
    )
  }
}

function isClaimed(collection: string): Fragment {
  return sql`v.collection_id = ${collection}::uuid and v.rule = claim.rule and v.digest = decode(claim.digest, 'hex')
        and v.document_id = claim.document_id`
}

function asRows(values: readonly ValueOfDocument[]): Fragment {
  const [only, ...others] = values
  // A single value is cheaper without arrays.
  if (only && others.length === 0) {
    return sql`(select ${only.rule}::text as rule, ${only.digest}::text as digest, ${only.document}::uuid as document_id,
      1 as place) as claim`
  }
  const sorted = [...values].sort(
    (one, other) => compareText(one.rule, other.rule) || compareText(one.digest, other.digest),
  )
  return sql`unnest(${sorted.map(({ rule }) => rule)}::text[], ${sorted.map(({ digest }) => digest)}::text[],
      ${sorted.map(({ document }) => document)}::uuid[]) with ordinality as claim (rule, digest, document_id, place)`
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Returns which of these values another document has. Undefined for any other error. */
export function findTaken<Value extends Claim>(error: unknown, values: readonly Value[]): Value | undefined {
  if (!isDuplicate(error)) return undefined
  const { detail = '' } = error
  return values.find(({ rule, digest }) => detail.includes(digest) && detail.includes(rule)) ?? values[0]
}

function isDuplicate(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.kind === 'taken' && error.constraint === 'unique_values_pkey'
}

/** Returns the document that has a value. */
export async function selectHolder(
  db: Database,
  collection: string,
  { rule, digest }: Claim,
): Promise<string | undefined> {
  const [row] = await db.query<{ document_id: string }>(sql`
    select document_id from unique_values
    where collection_id = ${collection} and rule = ${rule} and digest = decode(${digest}, 'hex')`)
  return row?.document_id
}

/** Whether the collection exists and writers use other rules than those given. Locks them in a transaction. */
export async function hasOtherRules(db: Database, collection: Ruled & { readonly id: string }): Promise<boolean> {
  const [row] = await db.query<{ unique_rules: string }>(sql`
    select unique_rules from document_counts where collection_id = ${collection.id} and not is_removed for key share`)
  return row !== undefined && row.unique_rules !== fingerprintRules(collection)
}

/** Makes writers follow other rules. Waits for those that write, and blocks others until the transaction ends. */
export async function updateRules(tx: Database, collection: Ruled & { readonly id: string }): Promise<void> {
  await tx.query(sql`select 1 as one from document_counts where collection_id = ${collection.id} for update`)
  await tx.query(
    writing(sql`
    update document_counts set unique_rules = ${fingerprintRules(collection)} where collection_id = ${collection.id}`),
  )
}

/** Deletes all values of some rules of a collection. */
export async function deleteValues(tx: Database, collection: string, rules: readonly string[] | 'all'): Promise<void> {
  const ofRules = rules === 'all' ? sql`true` : sql`rule = any(${rules}::text[])`
  await tx.query({
    ...lasting(sql`delete from unique_values where collection_id = ${collection} and ${ofRules}`),
    takesSpace: false,
  })
}

/** A document whose value an earlier one has. */
export interface Offender {
  readonly rule: string
  readonly document: string
  readonly holder: string
}

/** The data loaded at once, in documents and in bytes. */
const page = { documents: 1_000, bytes: 16 * 1024 * 1024 }

/** Called with the characters of each parsed document. Returns a promise to await when others need a turn. */
type AfterWork = (work: number) => Promise<void> | undefined

/** Takes the values of all stored documents, oldest first. Returns the first offenders; with any, roll back. */
export async function insertStoredValues(
  tx: Database,
  collection: string,
  rules: readonly UniqueRule[],
  { maxOffenders, afterWork }: { readonly maxOffenders: number; readonly afterWork: AfterWork },
): Promise<Offender[]> {
  const offenders: Offender[] = []
  let after: string | undefined
  do {
    const rows = await selectFieldPage(tx, collection, fieldNames(rules), after)
    const claimed = await claimAll(rows, rules, afterWork)
    offenders.push(...(await insertFree(tx, collection, claimed, maxOffenders - offenders.length)))
    after = rows.at(-1)?.id
  } while (after !== undefined && offenders.length < maxOffenders)
  return offenders
}

async function claimAll(
  rows: readonly { id: string; fields: string }[],
  rules: readonly UniqueRule[],
  afterWork: AfterWork,
): Promise<ValueOfDocument[]> {
  const claimed: ValueOfDocument[] = []
  for (const { id: document, fields } of rows) {
    for (const claim of listClaims(rules, JSON.parse(fields))) claimed.push({ ...claim, document })
    const pause = afterWork(fields.length)
    if (pause) await pause
  }
  return claimed
}

function fieldNames(rules: readonly UniqueRule[]): string[] {
  return [...new Set(rules.flatMap(({ fields }) => fields))]
}

/** Returns these fields of the next documents, oldest first, as JSON. */
export async function selectFieldPage(
  tx: Database,
  collection: string,
  names: readonly string[],
  after: string | undefined,
) {
  return tx.query<{ id: string; fields: string }>(
    lasting(sql`
    select p.id, (
      select coalesce(jsonb_object_agg(f.name, p.data -> f.name), '{}')::text from unnest(${names}::text[]) as f (name)
      where p.data -> f.name is not null
    ) as fields
    from (
      select d.id, d.data,
        coalesce(sum(${maxTextBytes(sql`d.data`)}) over (order by d.id rows between unbounded preceding and 1 preceding), 0)
          as bytes
      from (
        select d.id, d.data from documents d
        where d.collection_id = ${collection} and ${after === undefined ? sql`true` : sql`d.id > ${after}`}
        order by d.id
        limit ${page.documents}::int
      ) d
    ) p
    where p.bytes < ${page.bytes}::bigint
    order by p.id`),
  )
}

/** Inserts the values that no document has. Returns some of those that it left out. */
async function insertFree(
  tx: Database,
  collection: string,
  claimed: readonly ValueOfDocument[],
  most: number,
): Promise<Offender[]> {
  if (claimed.length === 0) return []
  const inserted = await tx.query<{ rule: string; document_id: string }>(
    lasting(
      writing(sql`
    insert into unique_values (collection_id, rule, digest, document_id)
    select ${collection}::uuid, claim.rule, decode(claim.digest, 'hex'), claim.document_id
    from ${asRows(claimed)}
    order by claim.document_id
    on conflict do nothing
    returning rule, document_id`),
    ),
  )
  if (inserted.length === claimed.length) return []
  const isIn = new Set(inserted.map(({ rule, document_id: document }) => `${document} ${rule}`))
  const left = claimed.filter(({ rule, document }) => !isIn.has(`${document} ${rule}`)).slice(0, most)
  const offenders: Offender[] = []
  for (const { document, ...claim } of left) {
    const holder = (await selectHolder(tx, collection, claim)) ?? document
    offenders.push({ rule: claim.rule, document, holder })
  }
  return offenders
}

/** A document whose values an earlier one has, and the number of all such documents. */
interface Duplicate {
  readonly id: string
  readonly holder: string
  /** The start of the value as JSON; an array for several fields. */
  readonly value: string
  readonly total: number
}

/** Finds documents that share values of these fields. Missing and null values are free. */
export async function selectDuplicates(
  db: Database,
  collection: string,
  names: readonly string[],
  { most, maxCharacters }: { most: number; maxCharacters: number },
): Promise<Duplicate[]> {
  const values = joinSql(
    names.map((name) => sql`d.data -> ${name}::text`),
    ', ',
  )
  const areSet = joinSql(
    names.map((name) => sql`jsonb_typeof(d.data -> ${name}::text) <> 'null'`),
    ' and ',
  )
  return db.query<{ id: string; holder: string; value: string; total: number }>(
    lasting(sql`
    select v.id, v.holder, left((${names.length === 1 ? sql`v.value -> 0` : sql`v.value`})::text, ${maxCharacters}::int) as value,
      count(*) over () as total
    from (
      select d.id, d.value, first_value(d.id) over (partition by d.value order by d.id) as holder
      from (
        select d.id, jsonb_build_array(${values}) as value
        from documents d
        where d.collection_id = ${collection} and ${areSet}
      ) d
    ) v
    where v.id <> v.holder
    order by v.id
    limit ${most}::int`),
  )
}

/** Deletes some values of a removed collection. Returns whether there may be more. */
export async function deleteRemovedValues(db: Database, collection: string, most: number): Promise<boolean> {
  // Locks the count's row, because a snapshot may restore the collection at the same time.
  const rows = await db.query(sql`
    with removed as materialized (
      select collection_id from document_counts where collection_id = ${collection} and is_removed for update
    )
    delete from unique_values
    where ctid = any (array(
        select v.ctid from unique_values v where v.collection_id = ${collection} limit ${most}::int
      )) and exists (select from removed)
    returning 1 as one`)
  return rows.length > 0
}

/** Allows a statement to take minutes. */
function lasting({ text, values, takesSpace }: Fragment) {
  return { text, values, takesSpace, planned: 'once', patient: true } as const
}
