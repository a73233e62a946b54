import { isObject, type Json, type JsonObject, setOwn } from '../client/protocol/model/json.js'

/** Maps all strings in a value, except field names. */
export function mapTexts<Value extends Json>(value: Value, change: (text: string) => string): Value {
  if (typeof value === 'string') return change(value) as Value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as Value
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value)) setOwn(copy, name, mapTexts(member, change))
  return copy as Value
}
