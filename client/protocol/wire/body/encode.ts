/** Encodes bodies of writes. Contract 3.3 and 3.6. */
import type { Fields } from '../../model/document.js'
import { SvcError } from '../../model/errors.js'
import { type JsonObject, valueKind } from '../../model/json.js'
import { requireName } from '../paths/encode.js'

export const bodyWrappers = {
  // Always wraps, because the service would unwrap fields that look like a wrapper.
  either: (fields) => ({ data: fields }),
  bare: (fields) => fields,
} as const satisfies { readonly [form: string]: (fields: JsonObject) => JsonObject }

export type BodyFormName = keyof typeof bodyWrappers

interface Speaks {
  readonly body: BodyFormName
}

/** Encodes fields, with the operators of an update next to them. Refuses text, whose indexes would become field names. */
export function encodeFields({ body: form }: Speaks, given: Fields): JsonObject {
  const kind = valueKind(given)
  if (kind !== 'Object') throw new SvcError('VALIDATION_ERROR', `A document cannot be a ${kind}.`)
  const { $remove, $append, $unset, ...fields } = given
  return { ...bodyWrappers[form](fields), $remove, $append, $unset } as JsonObject
}

export function encodeBatchCreate(speaks: Speaks, documents: readonly object[]): JsonObject {
  return { documents: documents.map((fields) => encodeFields(speaks, fields as Fields)) }
}

/** Wraps updates in every dialect, because all accept it. */
export function encodeBatchUpdate(updates: Readonly<Record<string, object>>): object {
  // Avoids `Object.fromEntries`, which takes ten times as long for a thousand ids.
  const wrapped: Record<string, JsonObject> = Object.create(null)
  for (const [id, fields] of Object.entries(updates)) wrapped[id] = encodeFields({ body: 'either' }, fields as Fields)
  return { updates: wrapped }
}

/** @throws {SvcError} `VALIDATION_ERROR` */
export function encodeBatchDelete(ids: readonly string[]): object {
  return { document_ids: ids.map(requireName) }
}
