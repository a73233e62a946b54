/** Bodies of writes, as clients encode them. Contract 3.3 and 3.6. */
import type { Fields } from '../../model/document.js'
import { SvcError } from '../../model/errors.js'
import { type JsonObject, valueKind } from '../../model/json.js'
import { requireName } from '../paths/encode.js'

export const bodyWrappers = {
  // Always wrapped: fields that look like a wrapper would be taken apart on the other side.
  either: (fields) => ({ data: fields }),
  bare: (fields) => fields,
} as const satisfies { readonly [form: string]: (fields: JsonObject) => JsonObject }

export type BodyFormName = keyof typeof bodyWrappers

interface Speaks {
  readonly body: BodyFormName
}

/** The fields of a document; beside them, the operators of an update. Of a text, places would be their names. */
export function encodeFields({ body: form }: Speaks, given: Fields): JsonObject {
  const kind = valueKind(given)
  if (kind !== 'Object') throw new SvcError('VALIDATION_ERROR', `A document cannot be a ${kind}.`)
  const { $remove, $append, ...fields } = given
  return { ...bodyWrappers[form](fields), $remove, $append } as JsonObject
}

export function encodeBatchCreate(speaks: Speaks, documents: readonly object[]): JsonObject {
  return { documents: documents.map((fields) => encodeFields(speaks, fields as Fields)) }
}

/** Wrapped in every dialect: none refuses that. */
export function encodeBatchUpdate(updates: Readonly<Record<string, object>>): object {
  // Not by `Object.fromEntries`, which takes ten times as long for a thousand ids.
  const wrapped: Record<string, JsonObject> = Object.create(null)
  for (const [id, fields] of Object.entries(updates)) wrapped[id] = encodeFields({ body: 'either' }, fields as Fields)
  return { updates: wrapped }
}

/** @throws {SvcError} `VALIDATION_ERROR` */
export function encodeBatchDelete(ids: readonly string[]): object {
  return { document_ids: ids.map(requireName) }
}
