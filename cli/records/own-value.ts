import type { Json } from '../../client/protocol/model/json.js'

/** The value of a field that a user has named: `constructor` and `toString` are names like any other, and none that all objects have. */
export function ownValue(fields: { readonly [name: string]: Json | undefined }, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
