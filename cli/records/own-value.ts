import type { Json } from '../../client/protocol/model/json.js'

/** Reads a field by a name from the user. Ignores inherited properties such as `constructor`. */
export function ownValue(fields: { readonly [name: string]: Json | undefined }, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
