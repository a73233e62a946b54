/** The `record` axis, as clients decode it: what stands around a record. */
import type { Json } from '../../model/json.js'
import { asObject } from '../expected.js'

export const recordDecoders = {
  bare: (body) => body,
  success: (body) => asObject(body ?? {}).data ?? null,
} as const satisfies { readonly [form: string]: (body: Json) => Json }
