/**
 * Hides fields from callers. Without permissions on fields, nothing is parsed or copied. Decision 71.
 */
import type { FieldRuleKind, Schema, ValueRule } from '../../../client/protocol/model/collection.js'
import { type Issue, SvcError } from '../../../client/protocol/model/errors.js'
import { JsonText } from '../../../client/protocol/model/json.js'
import { formatPath, overlap, type Path, withoutIndexes } from '../../../client/protocol/model/path.js'
import type { Reason } from '../../../client/protocol/model/requests/reason.js'
import type { Where } from '../../../client/protocol/model/where.js'
import { openPauses } from '../pauses.js'
import { callerRoles, type Grant } from './grant.js'
import { without } from './paths.js'

/** Copies a record without some of its fields, also in the items of arrays. */
export function withoutFields<Holder extends { readonly data: JsonText }>(
  record: Holder,
  paths: readonly Path[],
): Holder {
  if (paths.length === 0) return record
  const seen = without(record.data.toJSON(), paths)
  return { ...record, data: new JsonText(JSON.stringify(seen)) }
}

/** Hides fields in the documents of one collection, and yields to other requests between them. */
export async function visibleTo<Holder extends { readonly data: JsonText }>(
  { hidden }: Grant,
  documents: readonly Holder[],
): Promise<readonly Holder[]> {
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

/** Returns the schema without the defaults of hidden fields, which would reveal their values. */
export function schemaSeenBy({ hidden, collection: { schema } }: Grant): Schema {
  if (hidden.length === 0) return schema
  const shown = Object.entries(schema).map(([name, rule]) => {
    const { default: _, ...others } = rule
    return [name, hidden.some(([first]) => first === name) ? others : rule] as const
  })
  return Object.fromEntries(shown)
}

const checkedSchemas = new WeakMap<Schema, Map<string, Schema>>()

/**
 * Returns the schema for checking a change: without the rules of hidden fields, because the caller cannot repair those, and a
 * refusal would reveal something about their values. Remembers it, because compiling a schema takes long.
 */
export function schemaCheckedFor({ hidden, collection: { schema } }: Grant): Schema {
  if (hidden.length === 0) return schema
  const known = checkedSchemas.get(schema) ?? new Map<string, Schema>()
  checkedSchemas.set(schema, known)
  const key = JSON.stringify(hidden)
  const checked = known.get(key) ?? hidden.reduce(withoutRule, schema)
  known.set(key, checked)
  return checked
}

function withoutRule(schema: Schema, [name, ...deeper]: readonly string[]): Schema {
  const rules = Object.entries(schema).flatMap(([other, rule]) => {
    if (other !== name) return [[other, rule] as const]
    return deeper.length === 0 ? [] : [[other, withoutInner(rule, deeper)] as const]
  })
  return Object.fromEntries(rules)
}

/** A path that meets an array continues in each item. */
function withoutInner<Rule extends ValueRule>(rule: Rule, path: readonly string[]): Rule {
  const { fields, items } = rule
  if (fields) return { ...rule, fields: withoutRule(fields, path) }
  return items ? { ...rule, items: withoutInner(items, path) } : rule
}

/**
 * Refuses to filter or sort by hidden fields: the documents found, and their order, would reveal the values.
 *
 * @param why what the caller cannot do
 * @throws {SvcError} `UNAUTHORIZED` if a user's token might help, `FORBIDDEN`
 */
export function requireVisible(grant: Grant, asked: readonly Path[], why = 'you cannot filter or sort by it'): void {
  for (const path of asked) {
    const closed = grant.hidden.find((field) => overlap(field, path))
    if (closed) throw refusedField(grant, closed, 'hidden', why)
  }
}

/**
 * Refuses to select hidden fields. A field that only contains hidden ones is returned without them.
 *
 * @throws {SvcError} like `requireVisible`
 */
export function requireSelectable({ hidden, ...grant }: Grant, selected: readonly Path[]): void {
  if (hidden.length === 0) return
  const isWithin = (path: Path) =>
    hidden.some((field) => field.length <= withoutIndexes(path).length && overlap(field, path))
  requireVisible({ hidden, ...grant }, selected.filter(isWithin), 'it cannot be among the selected fields')
}

/** Refuses a filter that tests hidden fields. @throws {SvcError} like `requireVisible` */
export function requireVisibleFilter(grant: Grant, { all }: Where): void {
  if (grant.hidden.length === 0) return
  requireVisible(
    grant,
    all.flatMap(({ any }) => any.map(({ path }) => path)),
  )
}

/** @param why what the caller can do instead */
export function refusedField(
  { caller, collection: { name, permissions } }: Grant,
  path: Path,
  rule: FieldRuleKind,
  why: string,
): SvcError {
  const field = formatPath(path)
  const wanted = permissions[rule]?.[field] ?? []
  const reason: Reason = { kind: 'field', collection: name, field, rule, wanted, roles: callerRoles(caller) }
  const issue: Issue = { path: [...path], message: rule === 'hidden' ? 'is hidden' : 'is read-only', type: rule }
  const message = `"${field}" in "${name}" ${issue.message} ${rule === 'hidden' ? 'from' : 'for'} you: ${why}.`
  const mayHelp = caller.user === undefined && wanted.length > 0
  return new SvcError(mayHelp ? 'UNAUTHORIZED' : 'FORBIDDEN', message, [issue], { reason })
}
