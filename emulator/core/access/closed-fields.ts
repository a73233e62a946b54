/**
 * Documents without what is hidden from a caller, and writes that leave as it was what a caller may not change. What permissions say
 * is asked once for a request; without permissions on fields nothing is parsed or copied. Decision 71.
 */
import type { Schema, StoredCollection } from '../../../client/protocol/model/collection.js'
import { type Fields, fieldsOf, type StoredDocument } from '../../../client/protocol/model/document.js'
import {
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  JsonText,
  setOwn,
} from '../../../client/protocol/model/json.js'
import { overlap, type Path } from '../../../client/protocol/model/path.js'
import { withDefaults } from '../../../client/protocol/model/schema.js'
import type { Caller } from '../context.js'
import { openPauses } from '../pauses.js'
import { fieldsClosedTo, outermost, refusedField } from './field-rules.js'
import { mayWith } from './grant.js'

/** A record without some of its fields, also in the items of arrays. */
export function withoutFields<Holder extends { readonly data: JsonText }>(
  record: Holder,
  paths: readonly Path[],
): Holder {
  if (paths.length === 0) return record
  const seen = without(record.data.toJSON(), paths)
  return { ...record, data: new JsonText(JSON.stringify(seen)) }
}

/** Documents of one collection as a caller sees them, a few of them in a turn of the event loop. */
export async function visibleTo<Holder extends { readonly data: JsonText }>(
  caller: Caller,
  collection: StoredCollection,
  documents: readonly Holder[],
): Promise<readonly Holder[]> {
  const hidden = fieldsClosedTo(caller, collection, 'hidden')
  if (hidden.length === 0) return documents
  const pauses = openPauses()
  const visible: Holder[] = []
  for (const document of documents) {
    visible.push(withoutFields(document, hidden))
    const pause = pauses.after(2 * document.data.text.length)
    if (pause) await pause
  }
  return visible
}

/** A document, and whose it is. */
type Owned = Pick<StoredDocument, 'data' | 'createdBy'>

/** What permissions on fields make of the writes of a caller. */
export interface FieldGuard {
  /** What a document is to be, out of what was sent and the defaults. */
  created(sent: Fields, whole: Fields): Fields
  /** What a document is to be: it is changed as the caller sees it, and what the caller may not change is as before. */
  changed(before: Owned, edit: (before: Fields) => Fields): Fields
  /** What has to be checked of a document that is changed: what the caller does not see cannot be in the way. */
  readonly schema: Schema
}

/** @throws {SvcError} `FORBIDDEN`, `UNAUTHORIZED` from what it answers, where a write touches a field that is closed to the caller */
export function guardFields(caller: Caller, collection: StoredCollection): FieldGuard {
  const { schema } = collection
  const hidden = fieldsClosedTo(caller, collection, 'hidden')
  const fixed = fieldsClosedTo(caller, collection, 'readonly')
  if (hidden.length === 0 && fixed.length === 0) {
    return { created: (_, whole) => whole, changed: (before, edit) => edit(fieldsOf(before)), schema }
  }
  const refuse = (path: Path, rule: 'hidden' | 'readonly', why: string) =>
    refusedField(caller, collection, path, rule, why)
  const givenHidden = (path: Path) =>
    refuse(path, 'hidden', 'who may not read it sets it when creating, not afterwards')
  const changedFixed = (path: Path) => refuse(path, 'readonly', 'leave it out, or as it is')
  const changedAround = (path: Path) => refuse(path, 'hidden', 'what holds it can be changed field by field only')

  const unread = outermost([...hidden, ...fixed])
  const holders = unread.map(([first]): Path => [first])
  /** What stands there cannot be found out by trying: what was sent alone decides whether it is refused. */
  function changedUnread(before: Fields, edit: (before: Fields) => Fields): Fields {
    const sent = edit(without(before, holders))
    const given = unread.find(([first]) => Object.hasOwn(sent, first))
    if (given) {
      const why = `who may not read the document leaves out all of "${given[0]}"`
      throw refuse(given, hidden.includes(given) ? 'hidden' : 'readonly', why)
    }
    const seen = without(before, unread)
    return unread.reduce(
      (after, path) => keep({ full: before, seen }, after, path, () => changedAround(path)),
      edit(seen),
    )
  }

  let former: Former<Fields> | undefined
  return {
    created(sent, whole) {
      former ??= formerDefaults(schema, hidden)
      const { full, seen } = former
      return fixed.reduce((after, path) => {
        // Whether it is the default may not be tried out where that is hidden.
        const isGuess = hidden.some((other) => overlap(other, path)) && holds(sent, path)
        if (isGuess) throw changedFixed(path)
        return keep({ full, seen }, after, path, () => changedFixed(path))
      }, whole)
    },
    changed(document, edit) {
      const before = fieldsOf(document)
      if (!mayWith(caller, collection, 'read', document)) return changedUnread(before, edit)
      const seen = without(before, hidden)
      const asked = edit(seen)
      const given = hidden.find((path) => holds(asked, path))
      if (given) throw givenHidden(given)
      const settled = fixed.reduce(
        (after, path) => keep({ full: seen, seen }, after, path, () => changedFixed(path)),
        asked,
      )
      return hidden.reduce(
        (after, path) => keep({ full: before, seen }, after, path, () => changedAround(path)),
        settled,
      )
    },
    schema: Object.fromEntries(
      Object.entries(schema).filter(([name]) => !hidden.some(([first, deeper]) => first === name && !deeper)),
    ),
  }
}

/** Who may not set a field leaves it at the schema's default. */
function formerDefaults(schema: Schema, hidden: readonly Path[]): Former<Fields> {
  const full = withDefaults(schema, {})
  return { full, seen: without(full, hidden) }
}

function without<Value extends Json>(value: Value, paths: readonly Path[]): Value {
  return paths.reduce((rest, path) => withoutPath(rest, path) as Value, value)
}

/** A copy as far as it is another: nothing of what was given is changed. */
function withoutPath(value: Json, path: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => withoutPath(item, path))
  const [field, ...deeper] = path
  if (field === undefined || !isObject(value) || !Object.hasOwn(value, field)) return value
  const copy = { ...value }
  if (deeper.length === 0) delete copy[field]
  else setOwn(copy, field, withoutPath(value[field] ?? null, deeper))
  return copy
}

/** Whether there is anything at a path, in an item of an array too. */
function holds(value: Json | undefined, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, path))
  const [field, ...deeper] = path
  const inside = field === undefined ? undefined : memberOf(value, field)
  return inside !== undefined && (deeper.length === 0 || holds(inside, deeper))
}

/** A value as it is stored, and as the caller sees it. */
interface Former<Value> {
  readonly full: Value
  readonly seen: Value
}

/**
 * What is to be written, with what stands at a path as before: where it is left out, it is put back. What is refused depends on
 * what the caller sees alone. Objects on the way are merged; an array whose items could hold it stays as it is.
 *
 * @param refuse what to throw where the path, or what holds it, would change
 */
function keep<Value extends Json | undefined>(
  before: Former<Json | undefined>,
  after: Value,
  path: readonly string[],
  refuse: () => Error,
): Value {
  return kept(before, after, path, refuse) as Value
}

function kept(
  { full, seen }: Former<Json | undefined>,
  after: Json | undefined,
  [field = '', ...deeper]: readonly string[],
  refuse: () => Error,
): Json | undefined {
  if (Array.isArray(full) && full.some((item) => typeof item === 'object' && item !== null)) {
    // It may have been put back for another of its fields.
    if (after === undefined || after === full || equalJson(after, seen)) return full
    throw refuse()
  }
  if (!isObject(full)) {
    if (holds(after, [field, ...deeper])) throw refuse()
    return after
  }
  if (after !== undefined && !isObject(after)) throw refuse()
  const [was, is] = [{ full: memberOf(full, field), seen: memberOf(seen, field) }, memberOf(after, field)]
  const value = deeper.length > 0 ? kept(was, is, deeper, refuse) : unchanged(was, is, refuse)
  if (value === is) return after
  const whole: JsonObject = { ...after }
  setOwn(whole, field, value ?? null)
  return whole
}

function unchanged({ full, seen }: Former<Json | undefined>, is: Json | undefined, refuse: () => Error) {
  // What stands there already is a default: hidden values cannot be probed by it.
  if (is === undefined || is === full || equalJson(is, seen)) return full
  throw refuse()
}

function memberOf(value: Json | undefined, field: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined
}
