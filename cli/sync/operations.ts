/** Plans the write that makes one document equal another, and its undo. */
import { equalJson, type JsonObject } from '../../client/protocol/model/json.js'
import type { Operation } from '../bulk/operations.js'

/** An undo operation in the format of `svc docs batch`. */
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

/** Returns an update, or a replacement if a field goes away, or undefined if both are equal. */
export function planOperation(
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

/** Returns the operation that restores the document as it is `now`. */
export function planUndo({ kind, collection, id, data }: Operation, now: JsonObject): Undo {
  // Saved before the delete is sent, so it must do nothing if the document is still there.
  if (kind === 'delete') return { op: 'create', collection, data: now, unless: id }
  return { op: 'replace', collection, id, data: now, was: kind === 'replace' ? data : { ...now, ...data } }
}
