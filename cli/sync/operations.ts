/** The writes that make one document like another, and those that take them back. */
import { equalJson, type JsonObject } from '../../client/protocol/model/json.js'
import type { Operation } from '../bulk/operations.js'

/** An operation that takes another back, as `docs batch` reads it. */
export type Undo =
  | { readonly op: 'delete'; readonly collection: string; readonly id: string; readonly was: JsonObject }
  | { readonly op: 'create'; readonly collection: string; readonly data: JsonObject; readonly unless: string }
  | {
      readonly op: 'update' | 'replace'
      readonly collection: string
      readonly id: string
      readonly data: JsonObject
      readonly was: JsonObject
    }

/** An update as long as no field goes away, which a batch takes; else a replacement. Nothing where it is like that already. */
export function operationOf(
  place: { readonly collection: string; readonly id: string; readonly line: number },
  now: JsonObject,
  wanted: JsonObject,
): Operation | undefined {
  if (equalJson(now, wanted)) return undefined
  const shared = { ...place, bytes: 0 }
  const isShorter = Object.keys(now).some((name) => !Object.hasOwn(wanted, name))
  if (isShorter) return { ...shared, kind: 'replace', data: wanted, was: now }
  const changed = Object.entries(wanted).filter(
    ([name, value]) => !Object.hasOwn(now, name) || !equalJson(now[name], value),
  )
  const was = changed.flatMap(([name]) => (Object.hasOwn(now, name) ? [[name, now[name] ?? null] as const] : []))
  return { ...shared, kind: 'update', data: Object.fromEntries(changed), was: Object.fromEntries(was) }
}

/** What brings a document back to what it is `now`, before the operation. */
export function undoOf({ kind, collection, id, data }: Operation, now: JsonObject): Undo {
  // Kept before it is deleted, which may be refused, or never be asked for.
  if (kind === 'delete') return { op: 'create', collection, data: now, unless: id }
  return { op: 'replace', collection, id, data: now, was: kind === 'replace' ? data : { ...now, ...data } }
}
