import { equalJson, type Json, type JsonObject } from '../../../client/protocol/model/json.js'

/** What a field was and what it is; nothing where it was not, or is not any more. */
export interface FieldChange {
  readonly from: Json | undefined
  readonly to: Json | undefined
}

/** The fields that differ, by their names. */
export function fieldChanges(before: JsonObject, after: JsonObject): (readonly [name: string, change: FieldChange])[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const [from, to] = [own(before, name), own(after, name)]
    return equalJson(from, to) ? [] : [[name, { from, to }] as const]
  })
}

function own(fields: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
