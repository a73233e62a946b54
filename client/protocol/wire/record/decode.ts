/** Decodes the `record` axis: wrappers of a record. */
import type { Json } from '../../model/json.js'
import { isObject, objectIn } from '../../model/json.js'
import { expect } from '../expected.js'

export const recordDecoders = {
  bare: (body) => expect(!isObject(body) || body.success !== true || 'id' in body, body),
  /** Refuses a response without a body. */
  success: (body) => expect<Json>(!body || objectIn(body).success === true, objectIn(body).data ?? null),
} as const satisfies { readonly [form: string]: (body: Json) => Json }
